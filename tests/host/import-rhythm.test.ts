import { expect, test, vi } from 'vitest';
import { withTransaction } from '../../server/src/db/transaction.ts';
import type { Connection, Db, Queryable } from '../../server/src/db/types.ts';
import type { Host } from '../../server/src/host/host.ts';
import { importDeps, routeFile, routeKey } from './import-fixture.ts';

const deps = await importDeps();
const { clerk, host, pool, dispatch, read } = deps;

const sql = (statement: string) => clerk.transaction((tx) => tx.execute(statement));
const published = async (id: string) => (await read(id)).route?.published_at ?? null;

test('a route appears after two quiet seconds, never incomplete, and within five seconds', async () => {
  const { imports } = deps.openImport(host, 1);
  await imports.start();
  await dispatch(routeFile('R1', { stops: 1 }));
  await imports.importNow();
  // The dispatcher continues: another stop, after the first half has been committed.
  await dispatch(routeFile('R2', { stops: 1 }));
  const first = performance.now();
  const seen: number[] = [];
  const watch = vi.waitFor(
    async () => {
      const { route, plans } = await read('R2');
      if (route) seen.push(plans.length);
      expect(route?.published_at).toBeInstanceOf(Date);
    },
    { timeout: 60_000, interval: 50 },
  );
  await dispatch(routeFile('R2', { stops: 4 }));
  const last = performance.now();
  await watch;
  expect(performance.now() - first).toBeGreaterThanOrEqual(2_000);
  expect(performance.now() - last).toBeLessThan(5_000);
  expect(seen).toEqual([5]);
  await imports.stop();
});

test('a start finds changes without an importer, and changes without a doorbell line', async () => {
  await dispatch(routeFile('R3'));
  await sql('delete from PODCHGP');
  const { imports } = deps.openImport();
  await imports.start();
  expect(await published('R3')).toBeInstanceOf(Date);
  await sql("delete from RTHDRP where RHRTE = 'R3'");
  await sql("delete from RTPRDP where RPRTE = 'R2'");
  await sql('delete from PODCHGP');
  const next = deps.openImport();
  await next.imports.start();
  expect((await read('R3')).route?.withdrawn_at).toBeInstanceOf(Date);
  expect((await read('R2')).plans[0]?.plan.products).toEqual([]);
});

test('several concurrent importers do the work once', async () => {
  const nodes = Array.from({ length: 3 }, () => deps.openImport().imports);
  await Promise.all(nodes.map((imports) => imports.start()));
  await dispatch(routeFile('R4'));
  await Promise.all(nodes.map((imports) => imports.importNow()));
  await nodes[0]?.importNow();
  expect((await read('R4')).route).toMatchObject({ version: 1, epoch: 1 });
  expect(await host.query('select CHSEQ from PODCHGP')).toEqual([]);
});

test('an edit of a leased route is imported soon after the lease, not only at the next poll', async () => {
  const { imports, leases } = deps.openImport();
  await dispatch(routeFile('R7'));
  expect(await imports.importNow()).toBe(true);
  const lease = await leases.acquire(routeKey('R7'));
  if (!lease) throw new Error('the lease of a quiet route is free');
  await sql("update RTHDRP set RHPODS = 'C', RHCLBY = 'F' where RHRTE = 'R7'");
  await sql("update PODCHGP set CHTS = CHTS - interval '10 seconds'");
  expect(await imports.importNow()).toBe(false);
  await imports.start();
  expect((await read('R7')).route?.status).toBe('O');
  await leases.release(lease);
  // The next poll comes after an hour.
  await vi.waitFor(async () => expect((await read('R7')).route?.status).toBe('C'), { timeout: 60_000, interval: 50 });
  await imports.stop();
  expect(await host.query('select CHSEQ from PODCHGP')).toEqual([]);
});

test('an import beside the pass of another node reports that changes may be left', async () => {
  const { imports } = deps.openImport();
  const during = await withTransaction(pool, async (other) => {
    await other.query(`select pg_advisory_xact_lock(hashtext('tailgate import'))`);
    return imports.importNow();
  });
  expect(during).toBe(false);
  expect(await imports.importNow()).toBe(true);
});

test('a node behind a transaction pooler leaves the import to the others after its poll', async () => {
  await using pooled = await transactionPooler();
  const { imports: behindPooler } = deps.openImport(host, 3_600, pooled.db);
  await behindPooler.importNow();
  await dispatch(routeFile('POOLED'));
  await deps.openImport().imports.importNow();
  expect(await published('POOLED')).toBeInstanceOf(Date);
});

test('a host that is unreachable delays the import without an error', async () => {
  const { imports, log } = deps.openImport(host, 1);
  await sql("insert into standin_fault (fault) values ('outage')");
  await imports.start();
  expect(log.lines.map(({ level, message }) => [level, message])).toEqual([
    ['warn', 'the import from the host is interrupted and will try again'],
  ]);
  await expect(imports.importNow()).rejects.toMatchObject({ kind: 'passing' });
  await dispatch(routeFile('R5'));
  await sql('delete from standin_fault');
  await vi.waitFor(async () => expect(await published('R5')).toBeInstanceOf(Date), { timeout: 60_000, interval: 50 });
  await vi.waitFor(() =>
    expect(log.lines.at(-1)).toMatchObject({ level: 'info', message: 'the import from the host goes on' }),
  );
  await imports.stop();
});

test('a line with a lower number that is committed after the poll remains in the doorbell', async () => {
  await dispatch(routeFile('R6'));
  let release = () => {};
  const kept = new Promise<void>((resolve) => (release = resolve));
  let rung = () => {};
  const hasRung = new Promise<void>((resolve) => (rung = resolve));
  const late = clerk.transaction(async (tx) => {
    await tx.execute("update CUSMSP set CMNAM = 'Late' where CMCUS = 'CR60'");
    rung();
    await kept;
  });
  await hasRung;
  await sql("update RTSTPP set RSETA = 90000 where RSRTE = 'R6' and RSSTP = 1");
  const committing: Host = {
    ...host,
    query: async (text, parameters) => {
      const rows = await host.query(text, parameters);
      // The worst moment: the read does not include the line, and the deletion after it could.
      if (text.includes('PODCHGP')) release();
      await late;
      return rows;
    },
  };
  await deps.openImport(committing).imports.importNow();
  expect(await host.query('select CHFIL from PODCHGP')).toEqual([{ CHFIL: 'CUSMSP' }]);
  await deps.openImport().imports.importNow();
  expect((await read('R6')).plans[0]?.plan.customer.name).toBe('Late');
});

test('the lock of the import does not outlive the pass', async () => {
  const { rows } = await pool.query(
    `select count(*)::int as n from pg_locks where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())`,
  );
  expect(rows).toEqual([{ n: 0 }]);
});

/** Two sessions for all clients: outside of a transaction each statement goes to the other one. */
async function transactionPooler() {
  const sessions: Connection[] = [await pool.connect(), await pool.connect()];
  let turn = 0;
  const connect = async (): Promise<Connection> => {
    let pinned: Queryable | undefined;
    return {
      query: async (statement, values) => {
        const session: Queryable = pinned ?? sessions[turn++ % 2] ?? pool;
        if (statement === 'begin') pinned = session;
        if (statement === 'commit' || statement === 'rollback') pinned = undefined;
        return session.query(statement, values);
      },
      release: () => undefined,
    };
  };
  const db: Db = { connect, query: (statement, values) => pool.query(statement, values) };
  const end = async () => {
    for (const session of sessions) session.release(true);
  };
  return { db, [Symbol.asyncDispose]: end };
}
