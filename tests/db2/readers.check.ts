import { expect, test } from 'vitest';
import { Doorbell } from '../../server/src/host/reads/doorbell.ts';
import { openDb2 } from '../../server/src/host/db2/open-db2.ts';
import { isEmptyHost, unknownDrivers } from '../../server/src/host/tools/dispatch.ts';
import { hasHeader, readClosedRoutes, readMarks } from '../../server/src/host/reads/marks.ts';
import { readFile, readRouteKeys, readRouteRows, readRoutesOf } from '../../server/src/host/reads/reads.ts';
import { countRows, selectRows } from '../../server/src/host/files/statements.ts';
import { hostFile, hostFileNames, type HostFileName } from '../../server/src/host/files/tables.ts';
import { HostStops } from '../../server/src/replication/to-host/host-stops.ts';
import { db2Address } from '../support/driven-host.ts';
import { atFileEnd } from '../support/file-end.ts';
import { hostFailure } from '../support/host-failure.ts';
import { recordedLog } from '../support/recorded-log.ts';
import { createHost } from '../support/stand-in.ts';

// A dispatch program is in the middle of its transaction: it has inserted, changed and deleted rows of every file. On Db2
// for i a select without a clause waits for it.

const { database, clerk } = await createHost();
const { pool } = database;

const openOn = async (keywords: string) => {
  const url = `${db2Address(database.url)}?StandInReadersWait=1${keywords}`;
  const host = await openDb2({ url, library: 'PODDTA', program: 'TAILGATE', size: 2, log: recordedLog() });
  atFileEnd(() => host.close());
  return host;
};
const host = await openOn('');

const WEEK = '20261121';
const isRing = (name: HostFileName) => name === 'PODCHGP';
/** An insert of one row; `id` is in each key column that takes a text. */
const rowOf = (name: HostFileName, id: string) => {
  const { key, prefix } = hostFile(name);
  const columns = Object.entries(key);
  const values = columns.map(([column, definition]) => {
    if (definition.kind === 'char') return `'${id.slice(0, definition.length)}'`;
    return column.endsWith('WKE') ? WEEK : '1';
  });
  const names = [...columns.map(([column]) => column), `${prefix}CUSR`];
  const piece = name === 'ASSCHP' ? [', ACDTA', ", '\\x01'"] : ['', ''];
  return `insert into PODDTA.${name} (${names.join(', ')}${piece[0]}) values (${[...values, "'CLERK'"].join(', ')}${piece[1]})`;
};
const ring = (id: string) =>
  `insert into PODDTA.PODCHGP (CHFIL, CHOP, CHKEY, CHUSR) values ('CUSMSP', 'U', '${id}', 'CLERK')`;
const files = hostFileNames.filter((name) => !isRing(name));

for (const name of files.filter((file) => file !== 'PODCTLP')) await clerk.query(rowOf(name, 'OLD'));
await clerk.query("update PODDTA.CUSMSP set CMSLR = 'OLD' where CMCUS = 'OLD'");
await clerk.query("update PODDTA.RTSTPP set RSCUS = 'OLD' where RSRTE = 'OLD'");
await pool.query('delete from PODDTA.PODCHGP');
await pool.query(`${ring('HEARD')}; ${ring('OLD')}`);

const dispatch = await pool.connect();
await dispatch.query('begin');
await dispatch.query('set local idle_in_transaction_session_timeout = 0');
for (const name of files) {
  await dispatch.query(`update PODDTA.${name} set ${hostFile(name).prefix}UUSR = 'DISPATCH'`);
  await dispatch.query(rowOf(name, 'NEW'));
}
await dispatch.query("update PODDTA.RTHDRP set RHPODS = 'C'");
await dispatch.query('delete from PODDTA.RTDRVP');
await dispatch.query("delete from PODDTA.PODCHGP where CHKEY = 'HEARD'");
atFileEnd(async () => {
  await dispatch.query('rollback');
  dispatch.release();
});

const route = { facility: 'OLD', id: 'OLD', week_end: WEEK };
const weeks = { openFrom: WEEK, closedFrom: WEEK };
const place = `OLD\tOLD\t${WEEK}`;

test('a select without a clause waits for uncommitted changes of other programs', async () => {
  const error = await hostFailure(host.query('select RHRTE from PODDTA.RTHDRP'));
  expect(error).toMatchObject({ sqlstate: '57033', kind: 'passing' });
});

test('the family of Db2 comes from the database’s own name', async () => {
  const luw = await openOn('&StandInDbms=DB2/LINUXX8664');
  expect([host.dialect, luw.dialect]).toEqual(['db2i', 'db2']);
});

test('open transaction of another program: the doorbell leaves its lines out and reads the rest at once', async () => {
  const { changes, unparsable } = await new Doorbell(host).poll();
  expect(changes).toMatchObject([{ file: 'CUSMSP', key: { CMCUS: 'OLD' } }]);
  expect(unparsable).toEqual([]);
  await pool.query(ring('UNREAD'));
  expect(await new Doorbell(host).clear(10)).toBe(2);
  const { rows } = await pool.query('select CHKEY from PODDTA.PODCHGP');
  expect(rows).toHaveLength(1);
});

test('open transaction of another program: a route is read as last committed, at once', async () => {
  const { header, drivers, stops, products, collections, customers, reps, results } = await readRouteRows(host, route);
  expect(header).toMatchObject({ RHRTE: 'OLD', RHPODS: '' });
  expect(drivers).toMatchObject([{ RDEMP: 'OLD' }]);
  for (const rows of [stops, products, collections, customers, reps, results]) expect(rows).toHaveLength(1);
  expect(await readRouteRows(host, { ...route, facility: 'NEW', id: 'NEW' })).toMatchObject({
    header: undefined,
    stops: [],
  });
});

test.each(['FACMSTP', 'EMPMSTP', 'CTLCDP', 'CUSMSP', 'SLSREPP', 'ITCOLP', 'PODCTLP'] as const)(
  'the master file %s has the committed rows',
  async (name) => {
    expect(await readFile(host, name)).toHaveLength(1);
  },
);

test('the routes that a change concerns are found', async () => {
  expect(await readRouteKeys(host, weeks)).toEqual([route]);
  const masters = { customers: ['OLD', 'NEW'], reps: ['OLD'], items: ['OLD'], invoices: ['OLD'] };
  const found = await readRoutesOf(host, masters);
  expect(found.filter(({ id }) => id === 'OLD').length).toBeGreaterThan(3);
  expect(found.filter(({ id }) => id === 'NEW')).toEqual([]);
});

test('polling digests committed rows', async () => {
  const { marks, open, closed } = await readMarks(host, weeks);
  expect([...open]).toEqual([place]);
  expect([...closed]).toEqual([]);
  expect(marks.filter(({ place: at }) => at.includes('NEW'))).toEqual([]);
  expect(marks.filter(({ file }) => file === 'RTDRVP')).toHaveLength(1);
  expect(await readClosedRoutes(host, [place], ['RTHDRP'])).toMatchObject([{ mark: { place } }]);
  expect(await hasHeader(host, place)).toBe(true);
});

test('a stop is read back as last committed', async () => {
  const stops = new HostStops(host);
  const stored = await stops.read(route, 1);
  expect(stored?.rows.RTSTUP).toHaveLength(1);
  expect(await stops.readHeader(route)).toMatchObject({ row: { RHPODS: '' } });
  expect(await stops.writtenAt(route, 1)).toBeDefined();
});

test('chunks, sign-ins and the checks of a load are read without waiting', async () => {
  const [chunks] = await host.query(countRows(host, 'ASSCHP', 'ACID', 'ACSEQ'), ['OLD']);
  expect(chunks).toMatchObject({ ROWCNT: '1' });
  const signIn = selectRows(host, 'RTDRVP', ['RDRTE']);
  expect(await host.query(signIn.sql, ['OLD'])).toHaveLength(1);
  expect(await isEmptyHost(host)).toBe(false);
  expect(await unknownDrivers(host, [])).toEqual([]);
});
