import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { checks, type CheckSettings } from '../../server/src/host/doctor/checks.ts';
import { examine, printed, type Finding } from '../../server/src/host/doctor/examine.ts';
import { reportHost } from '../../server/src/host/doctor/report-host.ts';
import { examineAt } from '../../server/src/host/doctor/examine-at.ts';
import { hostErrorOf } from '../../server/src/host/db2/db2-errors.ts';
import { openStandIn } from '../../server/src/host/connection/postgres.ts';
import { laterColumns } from '../../server/src/host/files/layout.ts';
import { parseLegacyMap } from '../../server/src/host/files/legacy-map.ts';
import { rightsOf } from '../../server/src/host/files/rights.ts';
import { hostFile, hostFileNames } from '../../server/src/host/files/tables.ts';
import { atFileEnd } from '../support/file-end.ts';
import { recordedLog } from '../support/recorded-log.ts';
import { createHost } from '../support/stand-in.ts';

// `npm run ops -- doctor` on the stand-in: for each NO-GO a host that causes it, and a good one.

const { database } = await createHost();
const { pool } = database;
const saying = (part: string): unknown => expect.stringContaining(part);
const matching = (pattern: RegExp): unknown => expect.stringMatching(pattern);
const log = recordedLog();

/** A user with exactly the grants of the script. */
const user = `least_${database.name.slice(-8)}`;
await pool.query(`create role ${user} login password 'secret'`);
atFileEnd(async () => {
  await pool.query(`drop owned by ${user}`);
  await pool.query(`drop role ${user}`);
});
const grants = hostFileNames.map((name) => {
  const rights = rightsOf(hostFile(name));
  const acts = [
    'select',
    ...(rights.insert ? ['insert'] : []),
    ...(rights.delete ? ['delete'] : []),
    ...(rights.update.length > 0 ? [`update (${rights.update.join(', ')})`] : []),
  ];
  return `grant ${acts.join(', ')} on PODDTA.${name} to ${user}`;
});
await pool.query(
  [`grant usage on schema PODDTA to ${user}`, `grant select on PODDTA.standin_fault to ${user}`, ...grants].join(';\n'),
);
await pool.query(`insert into PODDTA.FACMSTP (FAFAC, FANAM, FATZ) values ('F01', 'Depot', 'America/Chicago')`);

const leastUrl = Object.assign(new URL(database.url), { username: user, password: 'secret' }).href;
const openLeast = (lockMs = 3_000) =>
  openStandIn({ url: leastUrl, library: 'PODDTA', log, size: 2, limits: { statementMs: 10_000, lockMs } });

type Options = Partial<CheckSettings> & { now?: () => Date; lockMs?: number };
async function examined({ now = () => new Date(), lockMs, ...settings }: Options = {}) {
  const host = await openLeast(lockMs);
  try {
    return await examine(host, { changes: 'doorbell', live: true, ...settings }, { now, form: 'full' });
  } finally {
    await host.close();
  }
}
const findingOf = async (check: string, options?: Options): Promise<Finding | undefined> => {
  const { findings } = await examined(options);
  return findings.find((finding) => finding.check === check);
};

test('a host that is set up as documented: GO, one line a check, and nothing to do', async () => {
  const diagnosis = await examined();
  expect(diagnosis.findings.filter(({ level }) => level !== 'go')).toEqual([]);
  expect(diagnosis.go).toBe(true);
  const lines = printed(diagnosis).split('\n');
  expect(lines.at(-1)).toBe('GO: 14 checks, 0 refuse, 0 to look at, 0 unknown');
  expect(lines[1]).toBe('GO       tables           PODDTA has all 26 files');
  // Those of a Db2 alone are in doctor-db2.test.ts, that of SHADOW_LIBRARY in shadow-comparison.test.ts.
  const elsewhere = ['journal', 'code-page', 'sort-space', 'comparison'];
  expect(diagnosis.findings.map(({ check }) => check)).toEqual(
    checks.map(({ name }) => name).filter((name) => !elsewhere.includes(name)),
  );
});

/** A fault of the host, its repair, and the words of the doctor. */
const broken: [check: string, breaks: string, repairs: string, says: string][] = [
  [
    'tables',
    'alter table PODDTA.SLSREPP rename to GONE',
    'alter table PODDTA.GONE rename to SLSREPP',
    'PODDTA lacks SLSREPP',
  ],
  [
    'columns',
    'alter table PODDTA.RTSTUP alter RUSNAM type char(30)',
    'alter table PODDTA.RTSTUP alter RUSNAM type char(40)',
    'RTSTUP.RUSNAM has 30 characters and not 40',
  ],
  [
    'columns',
    'alter table PODDTA.RTPRUP rename RQPAL to RQPALX',
    'alter table PODDTA.RTPRUP rename RQPALX to RQPAL',
    'RTPRUP.RQPAL is missing',
  ],
  [
    'columns',
    'alter table PODDTA.RTPRUP alter RQDLV type decimal(5,0)',
    'alter table PODDTA.RTPRUP alter RQDLV type decimal(7,0)',
    'RTPRUP.RQDLV is DECIMAL(5,0) and not DECIMAL(7,0)',
  ],
  [
    'columns',
    'alter table PODDTA.CUSMSP alter CMCUS type char(12)',
    'alter table PODDTA.CUSMSP alter CMCUS type char(10)',
    'CUSMSP.CMCUS has 12 characters and not exactly 10',
  ],
  [
    'authorities',
    `revoke update (RSSTS) on PODDTA.RTSTPP from ${user}`,
    `grant update (RSSTS) on PODDTA.RTSTPP to ${user}`,
    'may not update RTSTPP',
  ],
  [
    'authorities',
    `revoke delete on PODDTA.PODCHGP from ${user}`,
    `grant delete on PODDTA.PODCHGP to ${user}`,
    'may not delete PODCHGP',
  ],
  [
    'triggers',
    'alter table PODDTA.RTSTPP disable trigger rtstpp_update',
    'alter table PODDTA.RTSTPP enable trigger rtstpp_update',
    'disabled or inoperative: RTSTPP.RTSTPP_UPDATE',
  ],
  [
    'triggers',
    'alter trigger cusmsp_insert on PODDTA.CUSMSP rename to other',
    'alter trigger other on PODDTA.CUSMSP rename to cusmsp_insert',
    'missing: CUSMSP.CUSMSP_INSERT',
  ],
  [
    'isolation',
    `alter role ${user} set default_transaction_isolation = 'serializable'`,
    `alter role ${user} reset default_transaction_isolation`,
    'serializable and not CS',
  ],
  [
    'zones',
    `insert into PODDTA.FACMSTP (FAFAC, FATZ) values ('F02', 'US Central'), ('F03', ' ')`,
    `delete from PODDTA.FACMSTP where FAFAC <> 'F01'`,
    'FATZ is no IANA zone: F02 (US Central), F03 (blank)',
  ],
  ['switch', 'delete from PODDTA.PODCTLP', `insert into PODDTA.PODCTLP (CTHOLD) values ('N')`, '0 rows and not one'],
];

test.each(broken)('NO-GO %s: %s', async (check, breaks, repairs, says) => {
  await pool.query(breaks);
  const diagnosis = await examined();
  await pool.query(repairs);
  expect(diagnosis.go).toBe(false);
  expect(diagnosis.findings.filter(({ level }) => level === 'no_go')).toEqual([
    { check, level: 'no_go', says: saying(says), todo: matching(/\w/) },
  ]);
  expect(printed(diagnosis)).toMatch(/^NO-GO .* → .*/m);
  expect((await examined()).go).toBe(true);
});

test('a library of an earlier layout works: a person looks, and one that has a part of it is a NO-GO', async () => {
  const { RTSTUP, PODRPLP } = laterColumns;
  const columns: (readonly string[])[] = [
    ...['RUCHTS', 'RUCHSQ', ...RTSTUP].map((name) => ['RTSTUP', name]),
    ...['RLCHTS', 'RLCHSQ', ...PODRPLP].map((name) => ['PODRPLP', name]),
  ];
  const rename = async (from: string, to: string) => {
    for (const [file, column = ''] of columns)
      await pool.query(`alter table PODDTA.${file} rename ${column}${from} to ${column}${to}`);
  };
  await rename('', 'X');
  const earlier = await examined();
  await pool.query('alter table PODDTA.RTSTUP rename RUCHTSX to RUCHTS');
  const partly = await findingOf('columns');
  await pool.query('alter table PODDTA.RTSTUP rename RUCHTS to RUCHTSX');
  await rename('X', '');
  expect(earlier.go).toBe(true);
  expect(earlier.findings.filter(({ level }) => level !== 'go')).toMatchObject([
    { check: 'layout', level: 'attention', todo: saying('npm run host -- ddl --from 2') },
  ]);
  expect(partly).toMatchObject({ level: 'no_go', says: saying('RTSTUP.RUCHSQ is missing') });
  expect(await findingOf('layout')).toMatchObject({ level: 'go' });
});

test('a library with names and lengths of its own is compared by its map, and the lines have its names', async () => {
  const map = parseLegacyMap(await readFile(new URL('../support/own-names.json', import.meta.url), 'utf8'));
  const host = await openStandIn({ url: database.url, library: 'THEIRS', log, map });
  const refusals = async () => {
    const { findings } = await examine(
      host,
      { changes: 'doorbell', live: true },
      { now: () => new Date(), form: 'full' },
    );
    return findings.filter(({ level }) => level === 'no_go').map(({ check, says }) => `${check}: ${says}`);
  };
  const good = await refusals();
  await pool.query(`alter table THEIRS.dispatch rename "tour#" to gone;
    alter table THEIRS.dispatch alter name type char(40);
    alter table THEIRS.dispatch_stop disable trigger rtstpp_update`);
  const bad = await refusals();
  await host.close();
  expect(good).toEqual([]);
  expect(bad).toEqual([
    'columns: DISPATCH.TOUR# is missing, DISPATCH.NAME has 40 characters and not 50',
    'triggers: disabled or inoperative: DISPATCH_STOP.RTSTPP_UPDATE',
  ]);
});

test.each(['disable', 'drop'])('numbers of changes whose trigger is gone (%s): a person looks', async (how) => {
  const ddl =
    'create trigger rtstup_number_update before update on PODDTA.RTSTUP for each row execute function PODDTA.rtstup_number()';
  if (how === 'drop') await pool.query('drop trigger rtstup_number_update on PODDTA.RTSTUP');
  else await pool.query('alter table PODDTA.RTSTUP disable trigger rtstup_number_update');
  const finding = await findingOf('numbers');
  if (how === 'drop') await pool.query(ddl);
  else await pool.query('alter table PODDTA.RTSTUP enable trigger rtstup_number_update');
  expect(finding).toMatchObject({ level: 'attention', says: saying('RTSTUP.RTSTUP_NUMBER_UPDATE') });
  expect(await findingOf('numbers')).toMatchObject({ level: 'go' });
});

test('a wait for locks without an end, and one that is too long: NO-GO', async () => {
  expect(await findingOf('lock-wait', { lockMs: 0 })).toMatchObject({
    level: 'no_go',
    says: saying('without a limit'),
  });
  expect(await findingOf('lock-wait', { lockMs: 60_000 })).toMatchObject({
    level: 'no_go',
    says: saying('for 60 s'),
  });
  expect(await findingOf('lock-wait')).toMatchObject({ level: 'go', says: 'a wait for a lock ends after 3 s' });
});

test('clocks that differ: by seconds a person looks, by minutes it is a NO-GO', async () => {
  const off = (seconds: number) => () => new Date(Date.now() + seconds * 1_000);
  expect(await findingOf('clock', { now: off(20) })).toMatchObject({
    level: 'attention',
    says: saying('behind'),
  });
  expect(await findingOf('clock', { now: off(-600) })).toMatchObject({
    level: 'no_go',
    says: saying('ahead of'),
  });
  expect(await findingOf('clock')).toMatchObject({ level: 'go' });
});

test('with HOST_CHANGES=polling no trigger is needed', async () => {
  await pool.query('alter table PODDTA.RTSTPP disable trigger all');
  expect(await findingOf('triggers', { changes: 'polling' })).toMatchObject({ level: 'go' });
  expect(await findingOf('triggers')).toMatchObject({ level: 'no_go' });
  await pool.query('alter table PODDTA.RTSTPP enable trigger all');
});

test('an authority that the service does not need is said, and is no NO-GO', async () => {
  await pool.query(`grant update, delete on PODDTA.RTSTPP to ${user}`);
  const diagnosis = await examined();
  expect(diagnosis.go).toBe(true);
  expect(diagnosis.findings.filter(({ level }) => level !== 'go')).toMatchObject([
    { check: 'least-authority', level: 'attention', says: 'the user may also delete RTSTPP, update RTSTPP' },
  ]);
  await pool.query(`revoke update, delete on PODDTA.RTSTPP from ${user}`);
  const file = hostFile('RTSTPP');
  await pool.query(`grant update (${rightsOf(file).update.join(', ')}) on PODDTA.RTSTPP to ${user}`);
});

test('the authority to delete lines of the log is needed with RETAIN_HOST_LOG_DAYS alone', async () => {
  await pool.query(`revoke delete on PODDTA.PODRPLP from ${user}`);
  const without = await examined();
  const withDays = await findingOf('authorities', { hostLogDays: 400 });
  await pool.query(`grant delete on PODDTA.PODRPLP to ${user}`);
  expect(without.findings.filter(({ level }) => level !== 'go')).toEqual([]);
  expect(withDays).toMatchObject({ level: 'no_go', says: 'the user may not delete PODRPLP' });
  // The grants of the script have it in any case: it is not too much.
  expect(await findingOf('least-authority')).toMatchObject({ level: 'go' });
  expect(await findingOf('authorities', { hostLogDays: 400 })).toMatchObject({ level: 'go' });
});

test('an authority that cannot be tried, because another program holds the file, stays open', async () => {
  const holder = await pool.connect();
  await holder.query('begin; lock table PODDTA.SLSREPP in access exclusive mode');
  const { findings } = await examined({ lockMs: 100 });
  await holder.query('rollback');
  holder.release();
  expect(findings.filter(({ level }) => level !== 'go')).toMatchObject([
    { check: 'authorities', level: 'unknown', says: matching(/whether the user may read SLSREPP: 57033 /) },
    { check: 'least-authority', level: 'unknown', says: matching(/insert SLSREPP, .*: 57033 /) },
  ]);
  expect(await findingOf('authorities')).toMatchObject({ level: 'go' });
});

test('a catalog that the user may not read leaves its check open, and the others are made', async () => {
  await pool.query(`revoke select on PODDTA.FACMSTP from ${user}`);
  const { findings } = await examined();
  await pool.query(`grant select on PODDTA.FACMSTP to ${user}`);
  expect(findings.find(({ check }) => check === 'zones')).toMatchObject({ level: 'unknown' });
  expect(findings.find(({ check }) => check === 'authorities')).toMatchObject({
    says: 'the user may not read FACMSTP',
  });
});

test('a hold of the host is said, and is no NO-GO', async () => {
  await pool.query(`update PODDTA.PODCTLP set CTHOLD = 'Y'`);
  expect(await findingOf('switch')).toMatchObject({ level: 'attention' });
  await pool.query(`update PODDTA.PODCTLP set CTHOLD = 'N'`);
});

test('a host that is away, a wrong password and a missing driver: one line with what to do', async () => {
  const at = (url: string) =>
    examineAt(
      () => openStandIn({ url, library: 'PODDTA', log }),
      { changes: 'doorbell', live: true },
      { now: () => new Date(), form: 'full' },
    );
  const away = await at('postgres://nobody@127.0.0.1:1/none');
  expect(away).toMatchObject({ go: false, findings: [{ check: 'connection', level: 'no_go' }] });
  expect(printed(away)).toMatch(/NO-GO {4}connection .*08001.* → check host, port, firewall/);
  const unknownUser = Object.assign(new URL(database.url), { username: 'nobody_here' }).href;
  expect((await at(unknownUser)).go).toBe(false);
  const { openDb2 } = await import('../../server/src/host/db2/open-db2.ts');
  const missing = await examineAt(
    () => openDb2({ url: 'db2://u:p@127.0.0.1:1/D', library: 'PODDTA', log, program: 'TAILGATE' }),
    { changes: 'doorbell', live: true },
    { now: () => new Date(), form: 'full' },
  );
  expect(printed(missing)).toContain('install ibm_db');
});

// The codes and states of IBM's client.
test.each([
  ['no licence of Db2 Connect', -1_598, '42968', 'install the licence of Db2 Connect'],
  ['a refused password', -30_082, '08001', 'correct user, password'],
  ['a database that is not there', -30_061, '08004', 'correct the address and the name of the database'],
  ['a host that is away', -30_081, '08001', 'check host, port, firewall'],
])('no connection because of %s: NO-GO with what to do', async (_what, sqlcode, sqlstate, todo) => {
  const refused = hostErrorOf({ message: 'as the client says it', sqlcode, sqlstate });
  const { go, findings } = await examineAt(
    () => Promise.reject(refused),
    { changes: 'doorbell', live: true },
    { now: () => new Date(), form: 'full' },
  );
  expect(go).toBe(false);
  expect(findings).toEqual([
    { check: 'connection', level: 'no_go', says: saying('as the client says it'), todo: saying(todo) },
  ]);
});

test('at a start, the log has a line for each NO-GO, and nothing fails where the host is away', async () => {
  const reported = async () => {
    const own = recordedLog();
    const host = await openLeast();
    await reportHost(host, { changes: 'doorbell', live: true }, { now: () => new Date(), log: own });
    await host.close();
    await reportHost(host, { changes: 'doorbell', live: true }, { now: () => new Date(), log: own });
    return own.lines.map(({ level, message }) => [level, message.split(':')[0]]);
  };
  const away = ['warn', 'the set-up of the host could not be checked'];
  expect(await reported()).toEqual([['debug', 'the host is set up for the service'], away]);
  await pool.query('delete from PODDTA.PODCTLP');
  expect(await reported()).toEqual([['warn', 'the host is not set up for the service'], away]);
  await pool.query(`insert into PODDTA.PODCTLP (CTHOLD) values ('N')`);
});

test('a stop of the server ends the questions at once, without a word', async () => {
  const own = recordedLog();
  const host = await openLeast();
  const stopping = new AbortController();
  let questions = 0;
  const counted: typeof host = {
    ...host,
    describe: (file) => {
      questions += 1;
      stopping.abort();
      return host.describe(file);
    },
  };
  await reportHost(
    counted,
    { changes: 'doorbell', live: true },
    { now: () => new Date(), log: own, signal: stopping.signal },
  );
  await host.close();
  expect([questions, own.lines]).toEqual([1, []]);
});

test('npm run ops -- doctor prints the lines; its exit code says GO or NO-GO', async () => {
  const env = { ...process.env, LEGACY_URL: leastUrl };
  const doctor = () =>
    promisify(execFile)(process.execPath, ['--conditions=source', 'server/bin/ops.ts', 'doctor'], { env });
  expect((await doctor()).stdout).toMatch(/\nGO: 14 checks, 0 refuse/);
  await pool.query('alter table PODDTA.RTSTPP disable trigger rtstpp_update');
  await expect(doctor()).rejects.toMatchObject({
    code: 1,
    stdout: matching(/\nNO-GO {4}triggers .*RTSTPP_UPDATE/),
  });
  await pool.query('alter table PODDTA.RTSTPP enable trigger rtstpp_update');
});
