import { expect, inject } from 'vitest';
import { hostSettings } from '../support/driven-host.ts';
import { startServer } from '../support/server-process.ts';
import { startStatementTap, type StatementTap, type TappedStatement } from '../support/statement-tap.ts';
import { allOnHost, openSignedUp, type Device } from './device.ts';
import { RouteHistory, hostStateOf } from './route-history.ts';
import type { ModelRoute } from './model.ts';
import { demoRoute, openService, type HostWrite, type Service } from './service.ts';

/** A statement of a pass, by its text and its place among equal texts. */
export interface Step {
  /** The database it goes to, and how it begins. */
  readonly name: string;
  readonly nth: number;
}

export interface PollStep {
  readonly host: ModelRoute;
  /** The number of statements. */
  readonly changes: number;
  /** Sequences of the stop results, in the order in which the host applied them. */
  readonly written: readonly number[];
  /** Sequences in the host's own log. */
  readonly logged: readonly number[];
  readonly trouble: readonly object[];
}

const DRIVER = '1009';
/** The statement with which a worker looks for work, and the one with which it records what the host has. */
const LEASE_QUERY = 'lease_list';
const NOTE = 'mirror: replicate_settle';
/** The end of a pass. */
export const OVER: Step = { name: 'the end', nth: 1 };
/**
 * The statements of a pass to the mirror, and its writes and commits on the host. Sweeps, heartbeats, wake-ups and rows
 * of other lanes are left out, and the hint to the feeds: it is the first statement after the end.
 */
const OF_A_PASS =
  /^(mirror: (lease_claim$|replicate_(?!notify))|host: (commit after )?(merge|update) (into )?poddta.(rt|podrplp))/;
const NAME_LENGTH = 40;

/**
 * A driver at work, and the worker that replicates the changes to the host, killed again and again. All processes are
 * those of `npm start`. A tap between the worker and PostgreSQL, which is its mirror and its host, stops it at the
 * chosen step.
 */
export class KilledWorker {
  readonly #service: Service;
  readonly #tap: StatementTap;
  readonly #phone: Device;
  readonly #writes: () => Promise<HostWrite[]>;
  readonly #history = new RouteHistory(demoRoute('R900'));
  #rounds = 0;

  private constructor(service: Service, tap: StatementTap, phone: Device, writes: () => Promise<HostWrite[]>) {
    this.#service = service;
    this.#tap = tap;
    this.#phone = phone;
    this.#writes = writes;
  }

  static async open(): Promise<KilledWorker> {
    const tap = await startStatementTap(inject('postgresUrl'));
    const through = (url: string) => tap.through(url);
    // No other program changes the host: polls would only disturb.
    const env = { HOST_POLL_SECONDS: '3600' };
    const service = await openService({ role: 'worker', databaseUrl: through, hostUrl: through, env });
    const direct = { DATABASE_URL: service.database.url, ...hostSettings(service.library.url) };
    const api = await startServer({ ...service.env, ...direct }, ['--role', 'api']);
    const phone = await openSignedUp(api.port, DRIVER);
    await untilHostKnows(service, DRIVER);
    return new KilledWorker(service, tap, phone, await service.watchWrites());
  }

  /** Each step of an undisturbed pass, in order. */
  async learnSteps(): Promise<Step[]> {
    let steps: Step[] = [];
    // The second change of the first stop is as new as the rest.
    for (const _ of ['first', 'like all others']) {
      const ids = await this.#changeTwoStops();
      const numbered = this.#counter();
      steps = [];
      this.#tap.pass((statement) => steps.push(numbered(statement)));
      await allOnHost(this.#phone.app, ids);
    }
    return [...steps.filter(({ name }) => OF_A_PASS.test(name)), OVER];
  }

  /** Kills the worker just before it takes this step; the next one does the rest, or is itself killed before `again`. */
  async killBefore(step: Step, again?: Step): Promise<void> {
    const ids = await this.#changeTwoStops();
    // The host has everything, the mirror has recorded it, and the driver has no receipt yet.
    if (step === OVER) this.#phone.loseNetwork();
    const stopped = this.#tap.stopAt(this.#reaches(step));
    const missed = allOnHost(this.#phone.app, ids);
    if (!(await Promise.race([stopped, missed]))) throw new Error(`a pass was over without ${step.nth}× ${step.name}`);
    await this.#kill();
    if (again) {
      const settles = this.#tap.stopAt(this.#reaches(again));
      const started = this.#service.server.start();
      // It may settle before it reports that it is ready, and then never report it.
      await Promise.race([settles, started.then(() => settles)]);
      await this.#kill();
    }
    this.#tap.pass();
    await this.#service.server.start();
    await this.#phone.restoreNetwork();
    await allOnHost(this.#phone.app, ids);
  }

  async #kill(): Promise<void> {
    const { server, database } = this.#service;
    const killed = server.kill9();
    // A connection process to the host still waits for an answer, which never arrives.
    this.#tap.dropConnections();
    await killed;
    this.#tap.dropConnections();
    // A killed worker returns no lease: the lease runs out, and a test cannot wait that long.
    await database.pool.query('update route_lease set expires_at = now()');
  }

  /** The state that the host must have. */
  expected(): ModelRoute {
    return this.#history.expected();
  }

  /** The result of every change of the driver. */
  async poll(): Promise<PollStep> {
    const { database } = this.#service;
    // Of each write the line with the status; replaced values have lines of their own.
    const log = await this.#service.show('PODRPLP', "RLENT = 'RTSTUP' and RLCOL in ('', 'RUSTS')");
    const { rows } = await database.pool.query<object>(
      `select (select count(*)::int from ledger where source <> 'sync') as "notTheDrivers",
              (select count(*)::int from parked) as parked, (select count(*)::int from incident) as incidents`,
    );
    return {
      host: await hostStateOf(this.#service, this.#history.route),
      changes: this.#history.ids.size,
      written: (await this.#writes()).map(({ sequence }) => sequence),
      logged: log.map(({ RLSEQ }) => Number(RLSEQ)).toSorted((a, b) => a - b),
      trouble: rows,
    };
  }

  /**
   * Two changes that one pass replicates: a new stop with all files that a stop has, and a stop that is changed again.
   * The worker waits before it looks for them.
   * @returns the ids of the changes
   */
  async #changeTwoStops(): Promise<string[]> {
    const waits = this.#tap.stopAt(({ text }) => text === LEASE_QUERY);
    const { app } = this.#phone;
    const round = ++this.#rounds;
    const changes = [round + 1, round].map((stop) => {
      const [line] = app.stop(stop, this.#history.route).current?.products ?? [];
      if (!line) throw new Error(`stop ${stop} has no products`);
      return this.#history.update(app, {
        id: stop,
        updates: {
          status: 'D',
          end_delivery_time: new Date(Date.UTC(2026, 10, 20, 16, 0, round)).toISOString(),
          driver_comments: `round ${round}`,
          osd_emails: [`store${stop}@example.com`],
        },
        products: [
          {
            ...{ id: line.id, invoice: line.invoice },
            updates: { delivered: round, osd_data: [{ osd_code: 10, data: [{ quantity: round }] }] },
          },
        ],
      });
    });
    await Promise.all(changes.map(({ accepted }) => accepted));
    await waits;
    return changes.map(({ id }) => id);
  }

  /** Matches the first statement of this step, or the end of the first pass after all has been recorded. */
  #reaches(step: Step): (statement: TappedStatement) => boolean {
    const numbered = this.#counter();
    let isNoted = false;
    return (statement) => {
      const { name, nth } = numbered(statement);
      const isReached = step === OVER ? isNoted : name === step.name && nth === step.nth;
      isNoted ||= name === NOTE;
      return isReached;
    };
  }

  /** Names each statement, a commit after its content, and numbers equal texts. */
  #counter(): (statement: TappedStatement) => Step {
    const counts = new Map<string, number>();
    const lastStatement = new Map<object, string>();
    return ({ connection, database, text }) => {
      const short = text.slice(0, NAME_LENGTH);
      const words = text === 'commit' ? `commit after ${lastStatement.get(connection)}` : short;
      lastStatement.set(connection, short);
      const name = `${database === this.#service.library.name ? 'host' : 'mirror'}: ${words}`;
      const nth = (counts.get(name) ?? 0) + 1;
      counts.set(name, nth);
      return { name, nth };
    };
  }
}

/** A sign-up has a lane of its own to the host, and its line in the host's log: it must not count as a pass. */
async function untilHostKnows({ show }: Pick<Service, 'show'>, driver: string): Promise<void> {
  const hostLog = () => show('PODRPLP', `RLENT = 'PODUSRP' and RLKEY like '%${driver}%'`);
  await expect.poll(hostLog).not.toEqual([]);
}
