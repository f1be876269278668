import { randomBytes } from 'node:crypto';
import type { RouteKey } from '@tailgate/sync-protocol';
import { weekEndOf } from '../../server/src/demo/routes.ts';
import { parseCommand, runCommand } from '../../server/src/host/tools/cli.ts';
import type { Host, HostRow } from '../../server/src/host/host.ts';
import { openStandIn } from '../../server/src/host/connection/postgres.ts';
import { hostSettings, makeLibrary } from '../support/driven-host.ts';
import { atFileEnd } from '../support/file-end.ts';
import { createDatabase, type TestDatabase } from '../support/postgres.ts';
import { recordedLog } from '../support/recorded-log.ts';
import { RestClient } from '../support/rest-client.ts';
import { startServer, type ServerProcess } from '../support/server-process.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

export interface ServiceOptions {
  readonly role?: 'all' | 'api' | 'worker';
  /** The server's own address of the database and the host, such as through a proxy. */
  readonly databaseUrl?: (url: string) => string;
  readonly hostUrl?: (url: string) => string;
  /** More settings of the server. */
  readonly env?: Record<string, string>;
}

/** The real server as `npm start` runs it, its database, and a legacy host in another one, with the demo data. */
export interface Service {
  readonly server: ServerProcess;
  /** The server's database. */
  readonly database: TestDatabase;
  /** The host's: another program's connection to the library. */
  readonly clerk: Host;
  readonly library: TestDatabase;
  readonly rest: RestClient;
  readonly env: Record<string, string>;
  /** Rows of a host file, as its programs read them, in the order of their keys. */
  show(file: string, where?: string): Promise<HostRow[]>;
  /** `npm run host -- fault …`. */
  fault(name: 'outage' | 'lock' | 'slow' | 'poison', state: 'on' | 'off'): Promise<void>;
  /** Counts the changes of the host's stop results from now on. */
  watchWrites(): Promise<() => Promise<HostWrite[]>>;
}

/** A stop result that was written on the host. */
export interface HostWrite {
  readonly stop: number;
  /** RURPSQ. */
  readonly sequence: number;
}

export const opsToken = 'operators-only-4711';
/** The host keeps the local time of the facility: Chicago. */
export const zone = 'America/Chicago';

export async function openService(options: ServiceOptions = {}): Promise<Service> {
  const [database, library, dataDir] = [
    await createDatabase(),
    await createDatabase({ empty: true }),
    await temporaryFolder(),
  ];
  await makeLibrary(library);
  const env = {
    DATABASE_URL: options.databaseUrl?.(database.url) ?? database.url,
    ...hostSettings(options.hostUrl?.(library.url) ?? library.url),
    DATA_DIR: dataDir,
    OPS_TOKEN: opsToken,
    HOST_POLL_SECONDS: '1',
    DEMO: '1',
    ...options.env,
  };
  demoWeek = weekEndOf(new Date());
  atFileEnd(async () => {
    demoWeek = undefined;
  });
  const server = await startServer(env, ['--role', options.role ?? 'all']);
  const clerk = await openStandIn({ url: library.url, library: 'PODDTA', log: recordedLog(), program: 'CLERK' });
  atFileEnd(() => clerk.close());
  return {
    server,
    database,
    library,
    clerk,
    env,
    rest: new RestClient(server.url),
    show: shownBy(clerk),
    fault: (name, state) =>
      runCommand(parseCommand(['fault', name, state]), {
        host: clerk,
        now: new Date(),
        isTerminal: false,
        print: () => undefined,
        warn: () => undefined,
      }),
    watchWrites: () => watchWrites(library),
  };
}

/** Reads files by another program's connection. */
export const shownBy =
  (clerk: Host): Service['show'] =>
  (file, where) =>
    clerk.query(`select * from PODDTA.${file}${where ? ` where ${where}` : ''} order by 1, 2, 3, 4, 5, 6, 7, 8`);

/** Of the service that this file opened: a test that begins on a Saturday may end on a Sunday. */
let demoWeek: string | undefined;

/** A route of the demo data (contract §10). */
export const demoRoute = (id: string): RouteKey => ({
  facility: 'F01',
  id,
  get week_end() {
    return demoWeek ?? weekEndOf(new Date());
  },
});

/** A trigger of the host's own: the host records every write of the service. */
async function watchWrites({ pool }: TestDatabase): Promise<() => Promise<HostWrite[]>> {
  const name = `writes_${randomBytes(4).toString('hex')}`;
  await pool.query(
    `create table ${name} (n serial, tx bigint default txid_current(), route text, stop int, sequence bigint)`,
  );
  await pool.query(
    `create function ${name}_note() returns trigger language plpgsql as $$
     begin
       insert into public.${name} (route, stop, sequence) values (new.rurte, new.rustp, new.rurpsq);
       return null;
     end $$`,
  );
  await pool.query(
    `create trigger ${name} after insert or update on poddta.rtstup for each row execute function ${name}_note()`,
  );
  // A statement may write its rows in any order, and the commit shows them together: within a transaction by sequence.
  const inOrder = `select stop, sequence from ${name} order by min(n) over (partition by tx), sequence, n`;
  return async () => (await pool.query<HostWrite>(inOrder)).rows;
}
