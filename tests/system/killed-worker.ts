import { expect, inject } from 'vitest';
import { hostSettings } from '../support/driven-host.ts';
import { startServer } from '../support/server-process.ts';
import { startStatementTap, type StatementTap, type TappedStatement } from '../support/statement-tap.ts';
import { allOnHost, openSignedUp, type Device } from './device.ts';
import { Diary, hostHolds } from './diary.ts';
import type { ModelRoute } from './model.ts';
import { demoRoute, openService, type HostWrite, type Service } from './service.ts';

/** A statement of a pass, by its text and its place among those that read alike. */
export interface Step {
  /** The database it goes to, and how it begins. */
  readonly name: string;
  readonly nth: number;
}

export interface Look {
  readonly host: ModelRoute;
  /** How many there were. */
  readonly changes: number;
  /** Sequences of the stop results, in the order in which the host took them. */
  readonly written: readonly number[];
  /** Sequences that the host's own log tells of. */
  readonly logged: readonly number[];
  readonly trouble: readonly object[];
}

const DRIVER = '1009';
/** With this a worker looks for work, and with this it notes what the host has. */
const LOOK = 'lease list';
const NOTE = 'mirror: replicate settle';
/** A pass has nothing to say any more. */
export const OVER: Step = { name: 'the end', nth: 1 };
/**
 * What a pass says to the mirror, and what it writes on the host and commits there. Sweeps, heartbeats, wake-ups and rows
 * of other lanes are none of it.
 */
const OF_A_PASS =
  /^(mirror: (lease claim$|replicate )|host: (commit after )?(merge|update) (into )?poddta.(rt|podrplp))/;
const NAME_LENGTH = 40;

/**
 * A driver at work, and the worker that brings what they say to the host, killed again and again. All processes are those
 * of `npm start`. A worker is held still where it shall die by what stands between it and PostgreSQL, which is its
 * mirror and its host.
 */
export class KilledWorker {
  readonly #service: Service;
  readonly #tap: StatementTap;
  readonly #phone: Device;
  readonly #writes: () => Promise<HostWrite[]>;
  readonly #diary = new Diary(demoRoute('R900'));
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
    // Nobody changes anything on the host: looks would only be in the way.
    const env = { HOST_POLL_SECONDS: '3600' };
    const service = await openService({ role: 'worker', databaseUrl: through, hostUrl: through, env });
    const direct = { DATABASE_URL: service.database.url, ...hostSettings(service.library.url) };
    const api = await startServer({ ...service.env, ...direct }, ['--role', 'api']);
    const phone = await openSignedUp(api.port, DRIVER);
    await untilHostKnows(service, DRIVER);
    return new KilledWorker(service, tap, phone, await service.watchWrites());
  }

  /** Each step of a pass that nobody disturbs, in its order. */
  async learnSteps(): Promise<Step[]> {
    let steps: Step[] = [];
    // What the first pass changes again is as new as the rest of it.
    for (const _ of ['first', 'like all others']) {
      const ids = await this.#changeTwoStops();
      const numbered = this.#counter();
      steps = [];
      this.#tap.pass((statement) => steps.push(numbered(statement)));
      await allOnHost(this.#phone.app, ids);
    }
    return [...steps.filter(({ name }) => OF_A_PASS.test(name)), OVER];
  }

  /** Kills the worker just before it takes this step; the next one does the rest, or dies before `again` first. */
  async dieBefore(step: Step, again?: Step): Promise<void> {
    const ids = await this.#changeTwoStops();
    // The host has it all, that is noted, and the driver has not heard of it.
    if (step === OVER) this.#phone.loseNetwork();
    const held = this.#tap.holdAt(this.#reaches(step));
    const missed = allOnHost(this.#phone.app, ids);
    if (!(await Promise.race([held, missed]))) throw new Error(`a pass was over without ${step.nth}× ${step.name}`);
    await this.#kill();
    if (again) {
      const settles = this.#tap.holdAt(this.#reaches(again));
      const started = this.#service.server.start();
      // It may settle before it says that it is ready, and then never say it.
      await Promise.race([settles, started.then(() => settles)]);
      await this.#kill();
    }
    this.#tap.pass();
    await this.#service.server.start();
    await this.#phone.findNetwork();
    await allOnHost(this.#phone.app, ids);
  }

  async #kill(): Promise<void> {
    const { server, database } = this.#service;
    const killed = server.kill9();
    // Where the connection to the host is a process of its own, it waits for an answer still; nobody ever hears that.
    this.#tap.forget();
    await killed;
    this.#tap.forget();
    // A dead worker gives no lease back: it runs out, and a test has no time for that.
    await database.pool.query('update route_lease set expires_at = now()');
  }

  /** What the host must hold. */
  expected(): ModelRoute {
    return this.#diary.expected();
  }

  /** What has become of everything that the driver ever said. */
  async poll(): Promise<Look> {
    const { database } = this.#service;
    const log = await this.#service.show('PODRPLP', "RLENT = 'RTSTUP'");
    const { rows } = await database.pool.query<object>(
      `select (select count(*)::int from ledger where source <> 'sync') as "notTheDrivers",
              (select count(*)::int from parked) as parked, (select count(*)::int from incident) as incidents`,
    );
    return {
      host: await hostHolds(this.#service, this.#diary.route),
      changes: this.#diary.ids.size,
      written: (await this.#writes()).map(({ sequence }) => sequence),
      logged: log.map(({ RLSEQ }) => Number(RLSEQ)).toSorted((a, b) => a - b),
      trouble: rows,
    };
  }

  /**
   * Two changes that one pass brings: a stop that the host has nothing of, with all files that a stop has, and
   * one that is changed again. The worker waits before it looks for them. @returns the ids of the changes
   */
  async #changeTwoStops(): Promise<string[]> {
    const waits = this.#tap.holdAt(({ text }) => text === LOOK);
    const { app } = this.#phone;
    const round = ++this.#rounds;
    const changes = [round + 1, round].map((stop) => {
      const [line] = app.stop(stop, this.#diary.route).current?.products ?? [];
      if (!line) throw new Error(`stop ${stop} has no products`);
      return this.#diary.update(app, {
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

  /** True of the first statement that is this step, or for the end of the first that comes when all has been noted. */
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

  /** Names each statement, a commit for what it commits, and numbers those that read alike. */
  #counter(): (statement: TappedStatement) => Step {
    const counts = new Map<string, number>();
    const said = new Map<object, string>();
    return ({ connection, database, text }) => {
      const short = text.slice(0, NAME_LENGTH);
      const words = text === 'commit' ? `commit after ${said.get(connection)}` : short;
      said.set(connection, short);
      const name = `${database === this.#service.library.name ? 'host' : 'mirror'}: ${words}`;
      const nth = (counts.get(name) ?? 0) + 1;
      counts.set(name, nth);
      return { name, nth };
    };
  }
}

/** A sign-up has a lane of its own to the host, and its line in the host's log: no pass shall be mistaken for it. */
async function untilHostKnows({ show }: Pick<Service, 'show'>, driver: string): Promise<void> {
  const told = () => show('PODRPLP', `RLENT = 'PODUSRP' and RLKEY like '%${driver}%'`);
  await expect.poll(told).not.toEqual([]);
}
