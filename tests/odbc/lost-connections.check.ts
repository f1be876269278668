import { expect, test } from 'vitest';
import { hostFailure } from '../support/host-failure.ts';
import { createHost } from '../support/stand-in.ts';

// Lost connections and doubtful commits through the package odbc: its commit has to tell the truth.

const { host, clerk } = await createHost();
const stop = "RUFAC = 'F01' and RURTE = 'R1' and RUSTP = 1";
await clerk.query(`insert into PODDTA.RTSTUP (RUFAC, RURTE, RUWKE, RUSTP) values ('F01', 'R1', 20261128, 1)`);
const comments = () => clerk.query(`select RUCMT from PODDTA.RTSTUP where ${stop}`);
const endSession = (session: unknown) =>
  clerk.query('select pg_terminate_backend(cast(? as integer)) as ENDED', [String(session)]);

test('a connection that is lost before the commit makes its outcome unknown, and nothing is written', async () => {
  const failure = await hostFailure(
    host.transaction(async (tx) => {
      await tx.execute(`update PODDTA.RTSTUP set RUCMT = 'lost' where ${stop}`);
      const [session] = await tx.query('select pg_backend_pid() as PID');
      await endSession(session?.['PID']);
    }),
  );
  expect(failure).toMatchObject({ sqlstate: '08007', kind: 'passing' });
  expect(await comments()).toEqual([{ RUCMT: '' }]);
});

test('a connection that is lost within a transaction fails its statement, and the next transaction has another one', async () => {
  const failure = await hostFailure(
    host.transaction(async (tx) => {
      const [session] = await tx.query('select pg_backend_pid() as PID');
      await endSession(session?.['PID']);
      await tx.execute(`update PODDTA.RTSTUP set RUCMT = 'lost' where ${stop}`);
    }),
  );
  expect(failure).toMatchObject({ kind: 'passing' });
  expect(failure.sqlstate).toMatch(/^08/);
  await host.transaction((tx) => tx.execute(`update PODDTA.RTSTUP set RUCMT = 'next' where ${stop}`));
  expect(await comments()).toEqual([{ RUCMT: 'next' }]);
});

test('a commit after a failed statement is no commit, although the ODBC driver reports one', async () => {
  const failure = await hostFailure(
    host.transaction(async (tx) => {
      await tx.execute(`update PODDTA.RTSTUP set RUCMT = 'half' where ${stop}`);
      await tx
        .execute(`insert into PODDTA.RTSTUP (RUFAC, RURTE, RUWKE, RUSTP) values ('F01', 'R1', 20261128, 1)`)
        .catch(() => undefined);
    }),
  );
  expect(failure).toMatchObject({ sqlstate: '40000' });
  expect(await comments()).toEqual([{ RUCMT: 'next' }]);
});
