import { expect, test } from 'vitest';
import { openStandIn } from '../../server/src/host/connection/postgres.ts';
import { examine, type Diagnosis } from '../../server/src/host/doctor/examine.ts';
import { atFileEnd } from '../support/file-end.ts';
import { recordedLog } from '../support/recorded-log.ts';
import { createHost } from '../support/stand-in.ts';

// The doctor before the first facility is live: the service only reads, so a profile that may only read is enough.

const { database } = await createHost();
const { pool } = database;
const reader = `reader_${database.name.slice(-8)}`;
await pool.query(`create role ${reader} login password 'secret'`);
atFileEnd(async () => {
  await pool.query(`drop owned by ${reader}`);
  await pool.query(`drop role ${reader}`);
});
await pool.query(`grant usage on schema PODDTA to ${reader}`);
await pool.query(`grant select on all tables in schema PODDTA to ${reader}`);
await pool.query(`insert into PODDTA.FACMSTP (FAFAC, FANAM, FATZ) values ('F01', 'Depot', 'America/Chicago')`);

async function examined({ live }: { live: boolean }): Promise<Diagnosis> {
  const url = Object.assign(new URL(database.url), { username: reader, password: 'secret' }).href;
  const limits = { statementMs: 10_000, lockMs: 3_000 };
  const host = await openStandIn({ url, library: 'PODDTA', log: recordedLog(), size: 2, limits });
  try {
    return await examine(host, { changes: 'doorbell', live }, { now: () => new Date(), form: 'full' });
  } finally {
    await host.close();
  }
}
const openIn = ({ findings }: Diagnosis) => findings.filter(({ level }) => level !== 'go');
const part = (text: string): unknown => expect.stringContaining(text);

test('in shadow a profile that only reads is GO; what it lacks for the first live facility is said', async () => {
  const shadow = await examined({ live: false });
  expect(openIn(shadow)).toMatchObject([
    {
      check: 'authorities',
      level: 'attention',
      says: part('may not update RTHDRP'),
      todo: part('before a facility is live: run the grants'),
    },
  ]);
  expect(shadow.go).toBe(true);
  const live = await examined({ live: true });
  expect(openIn(live)).toMatchObject([{ check: 'authorities', level: 'no_go' }]);
  expect(live.go).toBe(false);
});

test('in shadow triggers may be missing, and a file that cannot be read is NO-GO', async () => {
  await pool.query(`alter table PODDTA.RTSTPP disable trigger all; revoke select on PODDTA.CUSMSP from ${reader}`);
  const shadow = await examined({ live: false });
  await pool.query(`alter table PODDTA.RTSTPP enable trigger all; grant select on PODDTA.CUSMSP to ${reader}`);
  expect(openIn(shadow)).toMatchObject([
    { check: 'tables', level: 'no_go', says: part('CUSMSP') },
    { check: 'authorities', level: 'no_go', says: 'the user may not read CUSMSP' },
    { check: 'triggers', level: 'attention', todo: part('before a facility is live') },
  ]);
});

test('in shadow a read without an answer is not hidden by what only writes need', async () => {
  const holder = await pool.connect();
  try {
    await holder.query('begin; lock table PODDTA.CUSMSP in access exclusive mode');
    const shadow = await examined({ live: false });
    expect(openIn(shadow)).toContainEqual(
      expect.objectContaining({ check: 'authorities', level: 'unknown', says: part('read CUSMSP') }),
    );
  } finally {
    await holder.query('rollback');
    holder.release();
  }
});
