import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { expect, test } from 'vitest';
import { atFileEnd } from '../support/file-end.ts';
import { insertEmployees, password, signUp } from '../support/people.ts';
import { createDatabase } from '../support/postgres.ts';
import { RestClient } from '../support/rest-client.ts';
import { startServer } from '../support/server-process.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { download } from '../support/uploads.ts';

const size = 6 * 1024 * 1024;
const photo = Buffer.from(Uint8Array.from({ length: size }, (_, i) => (i * 31) % 251));

/** Bytes that the server buffers of a request, and all that is sent beside the photo. */
const bufferedBytes = 192 * 1024;

/** An app with its storage in SQLite: takes the photo at its first start, and reports when the server has everything. */
const app = `
import { DatabaseSync } from 'node:sqlite';
import { createClient } from '@tailgate/client-sdk';
import { nodeSqlite, openSqlite, openSqliteFiles } from '@tailgate/client-sdk/sqlite';
import { openUploads } from '@tailgate/client-sdk/uploads';

const [url, folder, app] = process.argv.slice(1);
const sqlite = (name) => nodeSqlite(() => new DatabaseSync(folder + '/' + name));
const uploads = await openUploads({ store: await openSqliteFiles(sqlite('files.db')), photos: false });
const timing = { retryBaseMs: 20, retryCapMs: 250 };
const client = await createClient({ url, app, store: await openSqlite(sqlite('app.db')), uploads, timing });
if (!client.driver.current) {
  await client.signIn({ employeeId: '1001', password: ${JSON.stringify(password)} });
  const bytes = Uint8Array.from({ length: ${size} }, (_, i) => (i * 31) % 251);
  console.log('added ' + (await uploads.add(new Blob([bytes]), { kind: 'photo' })).id);
}
const look = () => uploads.status.current.waiting === 0 && console.log('all here');
uploads.status.subscribe(look);
look();
`;

test('an upload resumes after the app and then the server were killed with kill -9, and no byte of it is lost', async () => {
  const database = await createDatabase();
  await insertEmployees(database.pool, ['1001']);
  const folder = await temporaryFolder();
  const server = await startServer({ DATABASE_URL: database.url, DATA_DIR: await temporaryFolder() }, [
    '--role',
    'api',
  ]);
  const rest = new RestClient(server.url);
  await signUp(rest, '1001');
  const link = await startTcpProxy(server.port);
  link.throttle(size);
  const received = async (): Promise<number> => {
    const { rows } = await database.pool.query<{ received: number }>('select received from asset_intake');
    return rows[0]?.received ?? 0;
  };
  /**
   * Resolves in mid-upload, when the server has read all received bytes: the unread backlog of a slow machine is no
   * waste.
   */
  const untilStalledAt = async (bytes: number): Promise<void> => {
    await expect.poll(received, { timeout: 60_000, interval: 10 }).toBeGreaterThan(bytes);
    link.bufferUp();
    const unread = async (): Promise<number> => link.bytesUp - (await received());
    await expect.poll(unread, { timeout: 60_000, interval: 10 }).toBeLessThan(bufferedBytes);
    expect(await received()).toBeLessThan(size);
  };

  const first = startApp(link.through(server.url), folder, 'pod/1');
  const id = (await first.nextLine('added')).slice('added '.length);
  await untilStalledAt(size * 0.2);
  await first.kill();
  link.cut();
  link.releaseUp();

  // The phone was switched off and on, and its app is a newer one.
  const second = startApp(link.through(server.url), folder, 'pod/2');
  await untilStalledAt(size * 0.5);
  await server.kill9();
  link.cut();
  link.releaseUp();
  await server.start();
  await second.nextLine('all here');
  expect((await download(rest, id)).bytes.equals(photo)).toBe(true);
  expect(link.bytesUp / size).toBeLessThan(1.05);
  await second.kill();
}, 90_000);

interface App {
  /** Resolves with the next line with this beginning. */
  nextLine(words: string): Promise<string>;
  /** Kills it as the system or an empty battery does. */
  kill(): Promise<void>;
}

function startApp(url: string, folder: string, version: string): App {
  const args = ['--conditions=source', '--input-type=module', '-e', app, url, folder, version];
  const child: ChildProcess & { stdout: NodeJS.ReadableStream | null } = spawn(process.execPath, args, {
    cwd: import.meta.dirname,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'close');
  const lines = child.stdout ? createInterface(child.stdout)[Symbol.asyncIterator]() : undefined;
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL');
    await ended;
  };
  atFileEnd(kill);
  return {
    kill,
    nextLine: async (words) => {
      for (let next = await lines?.next(); next && !next.done; next = await lines?.next())
        if (next.value.startsWith(words)) return next.value;
      throw new Error(`the app ended without the line ${words}`);
    },
  };
}
