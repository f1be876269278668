import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { beforeAll, describe, expect, test } from 'vitest';
import { choosePort, findRunning, stop as stopCluster } from '../../server/src/embedded-postgres/cluster.ts';
import { openEmbedded, type Embedded } from '../../server/src/embedded-postgres/embedded.ts';
import { placeCluster } from '../../server/src/embedded-postgres/placement.ts';
import { atFileEnd } from '../support/file-end.ts';
import { recordedLog } from '../support/recorded-log.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const options = { log: recordedLog(), name: 'Tailgate (test)' };

async function open(dataDir: string, more: { parts?: string[]; name?: string } = {}): Promise<Embedded> {
  const embedded = await openEmbedded(dataDir, { ...options, ...more });
  atFileEnd(() => embedded.stop());
  return embedded;
}

/** A data folder after a first start. */
let used: string;

beforeAll(async () => {
  used = await temporaryFolder();
  await (await open(used)).stop();
});

/** A data folder after its first start. Its files are copied with their owners: initdb takes a second of CPU. */
async function usedDataDir(): Promise<string> {
  const dataDir = await temporaryFolder();
  await promisify(execFile)('cp', ['-a', `${used}/.`, dataDir]);
  return dataDir;
}

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<Record<string, unknown>>(sql);
    return rows;
  } finally {
    await client.end();
  }
}

async function running(dataDir: string): Promise<{ pid: number; port: number } | undefined> {
  return findRunning(await placeCluster(dataDir));
}

describe('embedded PostgreSQL', () => {
  test('keeps its data, address and password from start to start, durably and for loopback only', async () => {
    const dataDir = await temporaryFolder();
    const first = await open(dataDir);
    expect(first).toMatchObject({ owned: true, place: join(dataDir, 'postgres') });
    await query(first.url, 'create table stored as select 7 as seven');
    const settings = `select name, setting from pg_settings
      where name in ('fsync', 'full_page_writes', 'synchronous_commit', 'listen_addresses', 'unix_socket_directories')`;
    expect(await query(first.url, settings)).toEqual(
      expect.arrayContaining([
        { name: 'fsync', setting: 'on' },
        { name: 'full_page_writes', setting: 'on' },
        { name: 'synchronous_commit', setting: 'on' },
        { name: 'listen_addresses', setting: '127.0.0.1' },
        { name: 'unix_socket_directories', setting: '' },
      ]),
    );
    for (const file of ['postgres.password', 'postgres.json']) {
      expect((await stat(join(dataDir, file))).mode & 0o777).toBe(0o600);
    }
    await first.stop();
    expect(await running(dataDir)).toBeUndefined();

    const second = await open(dataDir);
    expect(second.url).toBe(first.url);
    expect(await query(second.url, 'select seven from stored')).toEqual([{ seven: 7 }]);
    await second.stop();
  });

  test('accepts further users while it runs; the last one that leaves stops it', async () => {
    const dataDir = await usedDataDir();
    const starter = await open(dataDir);
    const joiner = await open(dataDir);
    expect(joiner).toMatchObject({ owned: false, url: starter.url });
    await starter.stop();
    expect(await query(joiner.url, 'select 1 as one')).toEqual([{ one: 1 }]);
    await joiner.stop();
    expect(await running(dataDir)).toBeUndefined();
  });

  test('processes that start at the same moment agree on one', async () => {
    const dataDir = await temporaryFolder();
    // Left incomplete by a process that was killed.
    await mkdir(join(dataDir, 'postgres/new-999999999-Quz7Rm/data'), { recursive: true });
    const all = await Promise.all([open(dataDir), open(dataDir), open(dataDir)]);
    expect(new Set(all.map(({ url }) => url)).size).toBe(1);
    expect(all.filter(({ owned }) => owned)).toHaveLength(1);
    expect((await readdir(join(dataDir, 'postgres'))).sort()).toEqual(['data', 'log']);
    // One comes while the last of the others leaves.
    const [, newcomer] = await Promise.all([Promise.all(all.map((each) => each.stop())), open(dataDir)]);
    expect(await query(newcomer.url, 'select 1 as one')).toEqual([{ one: 1 }]);
    await newcomer.stop();
    expect(await running(dataDir)).toBeUndefined();
  });

  test('a second server on the folder is refused with the name of the first; roles that differ share it', async () => {
    const dataDir = await usedDataDir();
    const api = await open(dataDir, { parts: ['api'], name: 'Tailgate (process 41)' });
    const worker = await open(dataDir, { parts: ['worker'], name: 'Tailgate (process 42)' });
    await expect(open(dataDir, { parts: ['api', 'worker'] })).rejects.toThrow(
      `Tailgate (process 41) already runs on ${dataDir}: stop it first, or give this one a folder and a port of its own ` +
        '(DATA_DIR=.data2 PORT=3001 npm start)',
    );
    await api.stop();
    await (await open(dataDir, { parts: ['api'] })).stop();
    await worker.stop();
  });

  test('outlives a process that is killed, and the next start joins it', async () => {
    const dataDir = await usedDataDir();
    const script = `
      import { openEmbedded } from ${JSON.stringify(join(import.meta.dirname, '../../server/src/embedded-postgres/embedded.ts'))};
      const log = { debug() {}, info() {}, warn() {}, error() {} };
      const { url } = await openEmbedded(process.argv[1], { log, name: 'victim', parts: ['api', 'worker'] });
      console.log(url);`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', script, dataDir], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const output = await new Promise<string>((resolve) => child.stdout.setEncoding('utf8').once('data', resolve));
    child.kill('SIGKILL');
    await once(child, 'close');
    expect(await running(dataDir)).toBeDefined();

    const next = await open(dataDir, { parts: ['api', 'worker'] });
    expect(next).toMatchObject({ owned: false, url: output.trim() });
    await next.stop();
    expect(await running(dataDir)).toBeUndefined();
  });

  test('restarts while a process uses it: after its own crash, and after a stop by another program', async () => {
    const dataDir = await usedDataDir();
    const log = recordedLog();
    const embedded = await openEmbedded(dataDir, { ...options, log });
    atFileEnd(() => embedded.stop());
    const isBack = (times: number) => log.lines.filter(({ message }) => message.endsWith('is back')).length === times;

    const before = await running(dataDir);
    if (!before) throw new Error('PostgreSQL does not run');
    process.kill(before.pid, 'SIGKILL');
    await expect.poll(() => isBack(1), { timeout: 60_000 }).toBe(true);
    expect(await query(embedded.url, 'select 1 as one')).toEqual([{ one: 1 }]);

    await stopCluster(await placeCluster(dataDir));
    await expect.poll(() => isBack(2), { timeout: 60_000 }).toBe(true);
    expect(await query(embedded.url, 'select 1 as one')).toEqual([{ one: 1 }]);
    await embedded.stop();
  });

  test('a lock file with the process id of another program is no obstacle', async () => {
    const dataDir = await usedDataDir();
    await (await open(dataDir)).stop();
    const lockFile = join(dataDir, 'postgres/data/postmaster.pid');
    await writeFile(
      lockFile,
      `${process.pid}\n${join(dataDir, 'postgres/data')}\n1\n61111\n\n127.0.0.1\n 1 1\nready\n`,
    );
    const embedded = await open(dataDir);
    expect(await query(embedded.url, 'select 1 as one')).toEqual([{ one: 1 }]);
    await embedded.stop();
  });

  test('chooses a port outside of the ranges that others reserve', async () => {
    const ports = await Promise.all(Array.from({ length: 100 }, () => choosePort()));
    // IANA assigns 29170–29998 to no service; games use 29900 and more. Kubernetes' node ports begin at 30000, the
    // ephemeral ports of Linux at 32768, those of other systems at 49152. Tests take theirs above 61010.
    expect(ports.filter((port) => port < 29_170 || port > 29_899)).toEqual([]);
  });

  test('accepts a person by the command on the operations page', async () => {
    const dataDir = await usedDataDir();
    const embedded = await open(dataDir);
    const guide = await readFile(join(import.meta.dirname, '../../docs/operations.md'), 'utf8');
    const [command = ''] = /^PGPASSWORD=.*$/m.exec(guide) ?? [];
    const home = await temporaryFolder();
    await symlink(dataDir, join(home, '.data'));
    // Not every machine has psql: the test shows its arguments instead.
    const shown = `psql() { printf '%s\\n' "$PGPASSWORD" "$@"; }\n${command}`;
    const { stdout } = await promisify(execFile)('sh', ['-c', shown], { cwd: home });
    const [password = '', hFlag, host = '', pFlag, port, uFlag, user = '', database = ''] = stdout.split('\n');
    expect([hFlag, pFlag, uFlag]).toEqual(['-h', '-p', '-U']);
    expect(await query(`postgres://${user}:${password}@${host}:${port}/${database}`, 'select current_user')).toEqual([
      { current_user: 'tailgate' },
    ]);
    await embedded.stop();
  });

  test('takes another port where another program has taken its own, and stores the choice', async () => {
    const dataDir = await usedDataDir();
    const first = await open(dataDir);
    await first.stop();
    const occupant = createServer().listen(Number(new URL(first.url).port), '127.0.0.1');
    await once(occupant, 'listening');
    const second = await open(dataDir);
    expect(second.url).not.toBe(first.url);
    const remembered: unknown = JSON.parse(await readFile(join(dataDir, 'postgres.json'), 'utf8'));
    expect(remembered).toMatchObject({ folder: 'postgres', port: Number(new URL(second.url).port) });
    await second.stop();
    occupant.close();
    await once(occupant, 'close');
  });

  test.each([
    ['leaves a port that others reserve', 61_111, false],
    ['keeps a port that a person has chosen', 28_911, true],
  ])('%s', async (_, port, keeps) => {
    const dataDir = await usedDataDir();
    const file = join(dataDir, 'postgres.json');
    await writeFile(file, JSON.stringify({ folder: 'postgres', port }));
    const embedded = await open(dataDir);
    const taken = Number(new URL(embedded.url).port);
    expect(taken === port).toBe(keeps);
    expect(taken).toBeLessThan(29_900);
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({ folder: 'postgres', port: taken });
    await embedded.stop();
  });

  test('a lost password file is an error, and the start changes nothing', async () => {
    const dataDir = await usedDataDir();
    await (await open(dataDir)).stop();
    const file = join(dataDir, 'postgres.password');
    const password = await readFile(file, 'utf8');
    await writeFile(file, 'not it');
    await expect(open(dataDir)).rejects.toThrow(
      /does not accept the password in postgres\.password: put that file back/,
    );
    expect(await running(dataDir)).toBeUndefined();
    await writeFile(file, password);
    await (await open(dataDir)).stop();
  });
});
