import { randomUUID } from 'node:crypto';
import { PgBoss, type JobWithMetadata } from 'pg-boss';
import { codeBook } from '../../server/src/codes/code-book.ts';
import { createPool } from '../../server/src/db/pool.ts';
import type { Db } from '../../server/src/db/types.ts';
import type { Pipeline } from '../../server/src/mutations/change.ts';
import { openPipeline } from '../../server/src/mutations/intake/pipeline.ts';
import {
  bossWakeups,
  createQueues,
  queues,
  type MailJob,
  type Wakeups,
} from '../../server/src/mutations/jobs/wakeups.ts';
import { HostGate } from '../../server/src/replication/control/host-gate.ts';
import { dispatchRoute, writeMasters } from '../../server/src/host/tools/dispatch.ts';
import type { Host } from '../../server/src/host/host.ts';
import { parseRouteFile } from '../../server/src/host/tools/load-file.ts';
import { openStandIn } from '../../server/src/host/connection/postgres.ts';
import { Leases } from '../../server/src/replication/to-host/lease.ts';
import { MailServer } from '../support/mail-server.ts';
import { recordedLog } from '../support/recorded-log.ts';
import { reservePort } from '../support/reserved-port.ts';
import { insertSessions } from './driver.ts';
import { hasAccounts } from './model/accounts.ts';
import { REFUSED_COMMENT } from './model/parked-stops.ts';
import {
  driversOf,
  FACILITY,
  hasSecondRoute,
  routeFile,
  secondDriversOf,
  secondRouteFile,
  tokenOf,
} from './model/fixture.ts';
import { Importer } from './importer.ts';
import { LogWriter } from './log-writer.ts';
import { dispatcher } from './office.ts';

/** The parts that outlast every process: the database, the stand-in host, and the routes that the office dispatched. */
export interface Depot {
  readonly db: Db;
  /** The host as the service reaches it, and as the office reaches it. */
  readonly host: Host;
  readonly clerk: Host;
  readonly wakeups: Wakeups;
  readonly log: ReturnType<typeof recordedLog>;
  readonly gate: HostGate;
  readonly submit: Pipeline['submit'];
  readonly importer: Importer;
  readonly mailServer: MailServer;
  readonly logWriter: LogWriter;
  /** A further depot in a database of its own, for one world. */
  openOwn(): Promise<Depot>;
  /** The processes of the importer and the workers end, and others take their places. */
  restart(): Promise<void>;
  /** The queued mails of a route. The times of pg-boss are not the world's, so their order is that of the mutations. */
  mailJobs(route: string): Promise<JobWithMetadata<MailJob>[]>;
  endMailJob(id: string): Promise<void>;
  /** Runs work that only one world may do at a time. */
  inTurn<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Dispatches a route for each seed and imports all of them. */
  dispatch(seeds: readonly number[]): Promise<void>;
  close(): Promise<void>;
  /** Deletes the database of a closed depot. */
  drop(): Promise<void>;
}

/** A new database with all migrations. */
export interface NewDatabase {
  readonly url: string;
  drop(): Promise<void>;
}

export async function openDepot(newDatabase: () => Promise<NewDatabase>): Promise<Depot> {
  const database = await newDatabase();
  const { url } = database;
  const log = recordedLog();
  const db = createPool({ url, name: 'simulation', log, pipelined: true });
  const host = await openStandIn({ url, library: 'PODDTA', log, program: 'TAILGATE' });
  const clerk = await openStandIn({ url, library: 'PODDTA', log, program: 'CLERK' });
  // A busy machine may need long for a connection: that is no finding about a world.
  const patient = { connectionTimeoutMillis: 120_000 };
  const boss = new PgBoss({ connectionString: url, supervise: false, schedule: false, ...patient });
  boss.on('error', (err) => log.warn({ err }, 'pg-boss has trouble with the database'));
  await boss.start();
  await createQueues(boss);
  // pg-boss looks a queue up once, over a connection that no world waits for. This must not happen within a run.
  for (const name of Object.values(queues)) await boss.fetch(name);
  const wakeups = bossWakeups(boss);
  await refuseComments(db);
  const nothing = (): void => undefined;
  const mailServer = new MailServer(await reservePort());
  await mailServer.up();
  const logWriter = await LogWriter.open({ db, log });
  let process = openProcess({ db, host, wakeups, log });

  let last: Promise<unknown> = Promise.resolve();
  return {
    openOwn: () => openDepot(newDatabase),
    restart: async () => {
      await process.close();
      process = openProcess({ db, host, wakeups, log });
    },
    get gate() {
      return process.gate;
    },
    get submit() {
      return process.submit;
    },
    get importer() {
      return process.importer;
    },
    inTurn: (work) => {
      const done = last.then(work);
      last = done.catch(nothing);
      return done;
    },
    db,
    host,
    clerk,
    wakeups,
    log,
    mailServer,
    logWriter,
    mailJobs: async (route) => {
      const jobs = await boss.findJobs<MailJob>(queues.mail, { data: { route_id: route } });
      const { signal } = new AbortController();
      return jobs.map((job) => ({ ...job, signal })).toSorted((a, b) => (a.data.mutation < b.data.mutation ? -1 : 1));
    },
    endMailJob: async (id) => {
      await boss.deleteJob(queues.mail, id);
    },
    dispatch: async (seeds) => {
      const employees = seeds.flatMap(driversOf);
      await writeMasters(clerk, dispatcher, {
        facilities: [{ FAFAC: FACILITY, FANAM: 'Depot', FATZ: 'America/Chicago' }],
        employees: employees.map((id) => ({
          EMEMP: id,
          EMNAM: `Driver ${id}`,
          EMPHN: '',
          EMSTS: 'A',
          EMFAC: FACILITY,
          EMJOB: '',
        })),
        codes: [],
      });
      for (const seed of seeds) {
        const second = hasSecondRoute(seed) ? [secondRouteFile(seed, secondDriversOf(seed))] : [];
        for (const route of [routeFile(seed), ...second])
          for (const file of parseRouteFile(route)) await dispatchRoute(clerk, file, dispatcher);
      }
      await process.importer.importAll();
      await insertSessions(
        db,
        seeds
          .filter((seed) => !hasAccounts(seed))
          .flatMap(driversOf)
          .map((employee) => ({ employee, token: tokenOf(employee) })),
      );
    },
    close: async () => {
      await process.close();
      await boss.stop({ graceful: false });
      await mailServer.down();
      await host.close();
      await clerk.close();
      await db.end();
      await logWriter.close();
    },
    drop: () => database.drop(),
  };
}

type ProcessDeps = Pick<Depot, 'db' | 'host' | 'wakeups' | 'log'>;

/** The parts of a process that imports and replicates. */
interface Process extends Pick<Depot, 'gate' | 'submit' | 'importer'> {
  close(): Promise<void>;
}

function openProcess({ db, host, wakeups, log }: ProcessDeps): Process {
  const clock = (): Date => new Date();
  const rules = () => ({ codes: codeBook([]), closeMode: 'legacy' as const, timerMs: 600_000 });
  const pipeline = openPipeline({ db, wakeups, rules, clock, log });
  const submit: Pipeline['submit'] = (change) => pipeline.submit(change);
  const leases = new Leases({ db, owner: randomUUID() });
  const importer = new Importer({ db, host, leases, submit, log });
  const nothing = (): void => undefined;
  const gate = new HostGate({
    host,
    log,
    clock,
    random: () => 0,
    pauseMs: 200,
    onOpen: nothing,
    onPaused: nothing,
    onResumed: nothing,
  });
  const close = async (): Promise<void> => {
    await gate.stop();
    await importer.stop();
    await leases.close();
    await pipeline.close();
  };
  return { gate, submit, importer, close };
}

/** A trigger of the host refuses comments, as the customer's own checks do. */
async function refuseComments(db: Db): Promise<void> {
  await db.query(
    `create function poddta.refuse_comment() returns trigger language plpgsql as $$
     begin raise exception 'RUCMT is not wanted'; end $$`,
  );
  await db.query(
    `create trigger refuse_comment before insert or update on poddta.rtstup for each row
       when (new.rucmt like '${REFUSED_COMMENT}%') execute function poddta.refuse_comment()`,
  );
}
