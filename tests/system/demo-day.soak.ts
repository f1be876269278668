import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import * as z from 'zod/mini';
import { loadDemo } from '../../server/src/demo/load.ts';
import { openEmbedded } from '../../server/src/embedded-postgres/embedded.ts';
import { openStandIn } from '../../server/src/host/connection/postgres.ts';
import type { HostFileName } from '../../server/src/host/files/tables.ts';
import type { Host } from '../../server/src/host/host.ts';
import { readFile as readHostFile } from '../../server/src/host/reads/reads.ts';
import { dispatchRoute } from '../../server/src/host/tools/dispatch.ts';
import { parseRouteFile } from '../../server/src/host/tools/load-file.ts';
import { opsOperations } from '../../server/src/ops/operations.ts';
import { readTrust } from '../../server/verify/src/log/trust.ts';
import { nodeTools } from '../../server/verify/src/node-tools.ts';
import { atFileEnd } from '../support/file-end.ts';
import { recordedLog } from '../support/recorded-log.ts';
import { RestClient } from '../support/rest-client.ts';
import { startServer, type ServerProcess } from '../support/server-process.ts';
import { createHost } from '../support/stand-in.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { verify } from '../verify/packs.ts';

const opsToken = 'operators-only-4711';
const headers = { authorization: `Bearer ${opsToken}` };
const complete = /the demo day is complete/g;
const incomplete = /the demo day is incomplete/;
const interrupted = /the demo day is (interrupted|incomplete)/;
const hour = 3_600_000;
const day = 24 * hour;

let dataDir: string;
let server: ServerProcess;
let rest: RestClient;
/** Another program's connection to the host of the demo. */
let clerk: Host;

const settings = (folder: string) => ({ DATA_DIR: folder, DEMO: 'day', OPS_TOKEN: opsToken, LOG_LEVEL: 'info' });

async function openClerk(folder: string): Promise<Host> {
  const log = recordedLog();
  const embedded = await openEmbedded(folder, { log, name: 'clerk' });
  atFileEnd(() => embedded.stop());
  // This program may wait for a lock, and keep one, for as long as the day takes.
  const limits = { statementMs: 240_000, lockMs: 240_000 };
  const host = await openStandIn({ url: embedded.url, library: 'PODDTA', log, program: 'CLERK', size: 2, limits });
  atFileEnd(() => host.close());
  return host;
}

/**
 * Waits until the day was played so often since the first start; an error shows the end of the server's log. A day takes half a
 * minute, and minutes on a busy machine.
 */
async function untilPlayed(times: number): Promise<void> {
  const log = (): string => server.output.slice(-4_000);
  const isIncomplete = await vi.waitFor(
    () => {
      const played = [...server.output.matchAll(complete)].length;
      if (played !== times && !incomplete.test(server.output))
        throw new Error(`played ${played} of ${times} times:\n${log()}`);
      return played !== times;
    },
    { timeout: 480_000, interval: 100 },
  );
  if (isIncomplete) throw new Error(`the day is incomplete:\n${log()}`);
}

/** Locks the routes of the host until the day has met the lock: its statements wait for some seconds only. */
const interruptDay = (): Promise<void> =>
  clerk.transaction(async (tx) => {
    await tx.execute('lock table PODDTA.RTHDRP in access exclusive mode');
    await vi.waitFor(() => expect(server.output).toMatch(interrupted), { timeout: 120_000 });
  });

beforeAll(async () => {
  dataDir = await temporaryFolder();
  server = await startServer(settings(dataDir));
  rest = new RestClient(server.url);
  clerk = await openClerk(dataDir);
  await interruptDay();
  await untilPlayed(1);
}, 720_000);

test('a day that a lock on the host interrupts continues in the same process', () => {
  expect(server.output.match(interrupted)?.[1]).toBe('interrupted');
  expect(server.output.match(complete)).toHaveLength(1);
});

const keptDay = z.object({ started_at: z.string(), finished: z.boolean() });

const missingFile = z.object({ stop: z.number(), route: z.object({ id: z.string() }) });
const byText = (a: string, b: string): number => (a < b ? -1 : 1);

const own = <Row extends { readonly facility: string | null }>(rows: readonly Row[]) =>
  rows.filter(({ facility }) => facility === 'D01');
const list = {
  parked: async () => own(await rest.take(opsOperations.listParked, { headers })),
  quarantine: async () => own(await rest.take(opsOperations.listQuarantine, { headers })),
  flags: async () => own(await rest.take(opsOperations.listFlags, { headers })),
  incidents: () => rest.take(opsOperations.listIncidents, { headers }),
  devices: () => rest.take(opsOperations.listDevices, { headers }),
  holds: () => rest.take(opsOperations.listHolds, { headers }),
  routes: async (query = '?state=open') => own(await rest.take(opsOperations.listRoutes, { headers, query })),
};

/** The days of routes, by their id. */
async function weekEndOf(route: string): Promise<string> {
  const rows = await readHostFile(clerk, 'RTHDRP');
  return rows.find(({ RHRTE }) => RHRTE === route)?.RHWKE ?? '';
}
const stopOf = async (route: string, stop: number) =>
  rest.take(opsOperations.readOpsStop, {
    headers,
    params: { facility: 'D01', route_id: route, week_end: await weekEndOf(route), stop_id: `${stop}` },
  });
const historyOf = async (route: string, stop: number) =>
  rest.take(opsOperations.readStopHistory, {
    headers,
    query: `?facility=D01&route_id=${route}&week_end=${await weekEndOf(route)}&stop_id=${stop}`,
  });

describe('a demo day has one of each trouble', () => {
  test('the host refuses two counts', async () => {
    const parked = (await list.parked()).filter(({ state }) => state === 'open');
    expect(
      parked.map(({ route_id, stop_id, file, reason }) => `${route_id} ${stop_id} ${file} ${reason}`).toSorted(byText),
    ).toEqual([
      'D101 2 RTSTUP A COUNT OF 1200 IS ABOVE 999: COUNT AGAIN',
      'D102 3 RTSTUP A COUNT OF 1100 IS ABOVE 999: COUNT AGAIN',
    ]);
  });

  test('two changes are in quarantine, a phone is silent, a photo is missing', async () => {
    expect((await list.quarantine()).map(({ code, route_id, stop_id }) => [code, route_id, stop_id])).toEqual([
      ['UNKNOWN_MUTATION', 'D104', 1],
      ['STOP_NOT_FOUND', 'D104', 4],
    ]);
    const silent = (await list.devices()).filter((device) => device.silent);
    expect(silent.every(({ created_at, last_seen_at }) => created_at <= last_seen_at)).toBe(true);
    expect(silent.map(({ employee, pending, pending_files }) => [employee, pending, pending_files])).toEqual([
      ['2004', 5, 3],
    ]);
    const missing = (await list.incidents()).filter(({ kind }) => kind === 'asset_missing');
    expect(missing.map(({ details }) => missingFile.parse(JSON.parse(details)))).toEqual([
      { stop: 2, route: { id: 'D092' } },
    ]);
    expect(await list.incidents()).toHaveLength(1);
  });

  test('flags show a conflict, a change after the close, and counts and items beside the plan', async () => {
    const flags = async () =>
      (await list.flags()).flatMap(({ route_id, stop_id, employee, warnings }) =>
        warnings.map(({ code }) => `${code} ${route_id} ${stop_id} ${employee}`),
      );
    // The list has a flag ten seconds after its receipt.
    await expect.poll(async () => (await flags()).length, { timeout: 30_000 }).toBe(5);
    expect((await flags()).toSorted(byText)).toEqual([
      'after_close D092 3 2003',
      'over_delivered D101 2 2001',
      'over_delivered D102 3 2002',
      'superseded D102 2 2006',
      'unknown_product D103 3 2003',
    ]);
  });

  test('a clerk has corrected a stop on the host, and the history names both authors', async () => {
    const { mutations } = await historyOf('D103', 1);
    expect(mutations.map(({ source, employee }) => [source, employee])).toEqual([
      ['sync', '2003'],
      ['office', 'MARYB'],
    ]);
    expect((await stopOf('D103', 1)).received_by).toMatchObject({ name: 'Jonas Keller' });
  });

  test('a hold is forgotten, and the host lags behind it', async () => {
    const holds = await list.holds();
    expect(holds).toMatchObject([{ by: 'LENAK', until: null, in_force: true }]);
    const age = Date.now() - Date.parse(holds[0]?.from ?? '');
    expect(age).toBeGreaterThan(3_600_000);
    const { lag_seconds, routes_behind } = await rest.take(opsOperations.readReplication, { headers });
    expect(lag_seconds).toBeGreaterThan(3_600);
    expect(routes_behind).toBe(3);
  });

  test('the list of what needs a person has every kind', async () => {
    const { causes } = await rest.take(opsOperations.readAttention, { headers });
    expect([...new Set(causes.map(({ kind }) => kind))].toSorted(byText)).toEqual([
      'flag',
      'hold',
      'late_close',
      'missing_file',
      'parked',
      'quarantine',
      'silent_phone',
    ]);
    // Both refusals have one cause: one act retries both.
    expect(causes.filter(({ kind }) => kind === 'parked').map(({ count }) => count)).toEqual([2]);
  });

  test('every cause has the age that the day gives to it', async () => {
    const { causes } = await rest.take(opsOperations.readAttention, { headers });
    const hoursSince = (time: string): number => Math.floor((Date.now() - Date.parse(time)) / hour);
    const hours = causes.map(({ kind, oldest_at }) => [kind, hoursSince(oldest_at)] as const);
    const { missing_file: missing, ...others } = Object.fromEntries(hours.toReversed());
    expect(others).toEqual({
      flag: 5,
      quarantine: 4,
      silent_phone: 4,
      parked: 3,
      hold: 1,
      late_close: 52,
    });
    // Awaited since its delivery, a day before the next sweep of the played time.
    expect([25, 26, 27, 28, 29]).toContain(missing);
  });

  test('files reach the host before the hold', async () => {
    const { files } = await rest.take(opsOperations.readReplication, { headers });
    const oldest = files.find(({ file }) => file === 'ASSHDP')?.oldest_pending_at;
    expect(Date.now() - Date.parse(oldest ?? '')).toBeLessThan(1.5 * hour + 60_000);
  });

  test('a route of an earlier day is still open; the routes of today are under way', async () => {
    const routes = await list.routes();
    expect(routes.map(({ route_id, progress }) => [route_id, progress])).toEqual([
      ['D090', 'DDD'],
      ['D101', 'DDDDP'],
      ['D103', 'DSDRD'],
      ['D104', 'DPPP'],
      ['D106', 'PPP'],
    ]);
    const late = routes.find(({ route_id }) => route_id === 'D101')?.late_minutes;
    expect(late).toBeGreaterThan(0);
    const dispatched = (await readHostFile(clerk, 'RTHDRP')).find(({ RHRTE }) => RHRTE === 'D090');
    const yesterday = new Date(Date.now() - 24 * 3_600_000).toISOString().slice(0, 10).replaceAll('-', '');
    expect(Number(dispatched?.RHDSDT)).toBeLessThan(Number(yesterday));
  });

  test('a search for a store finds what it received yesterday, with photo and signature', async () => {
    const found = await rest.take(opsOperations.search, { headers, query: '?q=Old%20Town%20Provisions' });
    expect(found.stops.map(({ route_id, stop_id }) => `${route_id} ${stop_id}`)).toContain('D091 1');
    const { summary, files, received_by, receipts } = await stopOf('D091', 1);
    expect(summary.status).toBe('D');
    expect(received_by).toMatchObject({ name: 'Rosa Medina' });
    expect(files.map(({ state }) => state)).toEqual(['here', 'here']);
    // The host received it yesterday, too, by the clock of the day.
    const ageOf = (at: string | null | undefined) => Date.now() - Date.parse(at ?? '');
    expect(ageOf(receipts?.server_at)).toBeGreaterThan(day);
    expect(ageOf(receipts?.host_at)).toBeGreaterThan(day);
  });

  test('the mail of a delivery has the time of the delivery', async () => {
    const { mails, receipts } = await stopOf('D091', 1);
    expect(mails.map(({ sent_at }) => Date.parse(sent_at) - Date.parse(receipts?.server_at ?? ''))).toEqual([0]);
    const folder = join(dataDir, 'mail');
    const texts = await Promise.all((await readdir(folder)).map((name) => readFile(join(folder, name), 'utf8')));
    const mail = texts.find((text) => text.includes(mails[0]?.mutation_id ?? '?'));
    const date = /^Date: (.*)\r$/m.exec(mail ?? '')?.[1] ?? '';
    expect(Math.abs(Date.parse(date) - Date.parse(mails[0]?.sent_at ?? ''))).toBeLessThan(1_000);
  });
});

test.for([
  ['D091', 1],
  ['D102', 1],
] as const)('the pack of %s stop %i is proven by the keys of the log and of the witness', async ([route, stop]) => {
  const query = `facility=D01&route_id=${route}&week_end=${await weekEndOf(route)}&stop_id=${stop}&by=MILLER`;
  const { keys } = logKeys.parse(await (await fetch(`${server.url}/log/keys.json`)).json());
  const witness = await readFile(join(dataDir, 'witness/key.txt'), 'utf8');
  const trust = await readTrust([...keys.map(({ key }) => key), witness].join('\n'), nodeTools);
  const packed = await fetch(`${server.url}/api/ops/evidence?${query}`, { headers });
  const { outcome, checks } = await verify(Buffer.from(await packed.arrayBuffer()), undefined, { trust });
  // Information alone: the logs whose keys have signed.
  const found = checks.flatMap(({ findings }) => findings);
  expect(found.filter(({ code }) => code !== 'signed-as')).toEqual([]);
  expect(outcome).toBe('proven');
});

const logKeys = z.object({ keys: z.array(z.object({ key: z.string() })) });

describe('beside the demo of every start', () => {
  const facilityOf: Partial<Record<HostFileName, string>> = {
    FACMSTP: 'FAFAC',
    RTHDRP: 'RHFAC',
    RTDRVP: 'RDFAC',
    RTSTPP: 'RSFAC',
    RTPRDP: 'RPFAC',
    RTCOLP: 'RCFAC',
    ITCOLP: 'ICFAC',
    EMPMSTP: 'EMFAC',
    INVHDP: 'IHFAC',
  };

  test('facility F01 has the rows that it has without a demo day', async () => {
    const { host: untouched, clerk: office } = await createHost();
    const { started_at } = keptDay.parse(JSON.parse(await readFile(join(dataDir, 'demo-day.json'), 'utf8')));
    await loadDemo(office, new Date(started_at));
    for (const [name, column] of Object.entries(facilityOf)) {
      const rowsOf = async (host: Host) =>
        (await host.query(`select * from PODDTA.${name} where ${column} = 'F01' order by 1, 2, 3, 4, 5`)).map(
          withoutTimes,
        );
      expect({ name, rows: await rowsOf(clerk) }).toEqual({ name, rows: await rowsOf(untouched) });
    }
    expect(await readHostFile(clerk, 'CTLCDP')).toEqual(await readHostFile(untouched, 'CTLCDP'));
  });

  /** Times of the audit tail and of the close that the office wrote at the load. */
  const withoutTimes = (row: Record<string, unknown>) =>
    Object.fromEntries(Object.entries(row).filter(([name]) => !/(CTIM|UTIM|CLTM)$/.test(name)));
});

/** All that a person reads of the day, without what passes with the time. */
async function everything() {
  const [parked, quarantine, flags, incidents, devices, holds] = await Promise.all([
    ...[list.parked(), list.quarantine(), list.flags(), list.incidents(), list.devices(), list.holds()],
  ]);
  const rows = new Map<string, unknown>();
  for (const name of ['EMPMSTP', 'RTHDRP', 'RTSTPP', 'RTSTUP', 'RTPRUP', 'RTOSDP', 'RTIMGP', 'ASSHDP'] as const)
    rows.set(name, await readHostFile(clerk, name));
  const routes = await list.routes();
  return JSON.stringify(
    {
      ...{ parked, quarantine, flags, incidents, devices, holds, routes, history: await historyOf('D101', 1) },
      rows: [...rows],
    },
    (key, value: unknown) =>
      ['attempts', 'next_try_at', 'late_minutes', 'last_seen_at', 'last_heard_at'].includes(key) ? undefined : value,
    1,
  );
}

describe('repeated', () => {
  test('a second start plays nothing, and an interrupted day doubles nothing when it continues', async () => {
    const before = await everything();
    await server.restart();
    expect(await everything()).toBe(before);
    expect(server.output.match(complete)).toHaveLength(1);

    const kept = join(dataDir, 'demo-day.json');
    const played = keptDay.parse(JSON.parse(await readFile(kept, 'utf8')));
    await server.stop();
    await writeFile(kept, JSON.stringify({ ...played, finished: false }));
    await server.start();
    await untilPlayed(2);
    expect(await everything()).toBe(before);
  }, 600_000);
});

/** The counts of a refused stop, as its entry shows them. */
const refusedRows = z.object({
  RTPRUP: z.array(z.object({ RQITM: z.string(), RQINV: z.string(), RQDLV: z.string() })),
});

describe('the office acts on it', () => {
  test('the hold ends, a repair and a release reach the host', async () => {
    const hold_id = (await list.holds())[0]?.hold_id ?? '';
    const by = 'TEST';
    await rest.take(opsOperations.endHold, { headers, params: { hold_id }, body: { by, reason: 'counted' } });

    const parked = (await list.parked()).find(({ route_id }) => route_id === 'D101');
    const { RTPRUP: lines } = refusedRows.parse(JSON.parse(parked?.payload ?? '{}'));
    const { RQITM: item = '', RQINV: invoice = '' } = lines.find(({ RQDLV }) => RQDLV === '1200') ?? {};
    const stop = { id: 2, products: [{ id: item, invoice, updates: { delivered: 12 } }] };
    await rest.take(opsOperations.repairParked, {
      headers,
      params: { parked_id: parked?.parked_id ?? '' },
      body: { by, stop },
    });
    const early = (await list.quarantine()).find(({ code }) => code === 'STOP_NOT_FOUND');
    await rest.take(opsOperations.releaseQuarantined, {
      headers,
      params: { quarantine_id: early?.quarantine_id ?? '' },
      body: { by, note: 'the stop is on the route now' },
    });
    const written = async () =>
      (
        await clerk.query(
          `select cast(RQDLV as char(7)) as "VALUE" from PODDTA.RTPRUP where RQRTE = 'D101' and RQSTP = 2 and RQITM = ?
           union all select RUSNAM from PODDTA.RTSTUP where RURTE = 'D104' and RUSTP = 4`,
          [item],
        )
      ).map(({ VALUE }) => String(VALUE).trim());
    await vi.waitFor(async () => expect(await written()).toEqual(['12', 'Gus Novak']), { timeout: 120_000 });
    const left = (await list.parked()).filter(({ stop_id }) => stop_id !== null);
    expect(left.map(({ route_id, stop_id }) => [route_id, stop_id])).toEqual([['D102', 3]]);
  }, 180_000);
});

test('it is refused in one sentence where the host has other data', async () => {
  const folder = await temporaryFolder();
  const earlier = await startServer({ DATA_DIR: folder, DEMO: '0' });
  const office = await openClerk(folder);
  const [route] = parseRouteFile({ id: 'X1', facility: 'F77', week_end: '20261128', name: 'Real work', stops: [] });
  if (route) await dispatchRoute(office, route, { user: 'OFFICE', now: new Date() });
  await earlier.stop();
  const refused = startServer({ ...settings(folder), LOG_LEVEL: 'silent' });
  await expect(refused).rejects.toThrow(/DEMO=day: the host has data of facility F77/);
}, 120_000);
