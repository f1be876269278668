import { beforeAll, expect, test } from 'vitest';
import { HostError, type Host } from '../../server/src/host/host.ts';
import { watchedHost, type StatementOutcome } from '../../server/src/replication/control/watch.ts';
import { createHost } from '../support/stand-in.ts';

let outcomes: StatementOutcome[] = [];
let host: Host;

beforeAll(async () => {
  const stand = await createHost();
  host = watchedHost(stand.host, { statement: (outcome) => outcomes.push(outcome) });
});

/** The reports of this work on the host, in order. */
async function toldOf(work: () => Promise<unknown>): Promise<StatementOutcome[]> {
  outcomes = [];
  await work().catch((error: unknown) => {
    if (!(error instanceof HostError || error instanceof OwnFault)) throw error;
  });
  return outcomes;
}

class OwnFault extends Error {}
const count = `select count(*) as N from PODDTA.RTHDRP`;

test('each statement is reported, and the commit after them', async () => {
  expect(await toldOf(() => host.query(count))).toEqual(['done']);
  expect(await toldOf(() => host.transaction((tx) => Promise.all([tx.query(count), tx.query(count)])))).toEqual([
    'done',
    'done',
    'done',
  ]);
});

test('a failed statement is reported by its class, once; the commit that never comes is not', async () => {
  const missing = () => host.transaction((tx) => tx.query('select * from PODDTA.NOWHERE'));
  expect(await toldOf(missing)).toEqual(['setup']);
});

test('an error of our own is no failure of the host', async () => {
  const broken = () => host.transaction(() => Promise.reject(new OwnFault()));
  expect(await toldOf(broken)).toEqual([]);
});

test('a host that is unreachable is reported where no statement begins', async () => {
  const away: Host = { ...host, transaction: () => Promise.reject(new HostError('08001', 'nobody answers')) };
  const watched = watchedHost(away, { statement: (outcome) => outcomes.push(outcome) });
  expect(await toldOf(() => watched.transaction(() => Promise.resolve()))).toEqual(['passing']);
});
