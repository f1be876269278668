import { ensureEpoch } from '../../server/src/db/epoch.ts';
import { declareRestored } from '../../server/src/ops/restore/restored.ts';
import { backUp, putBack } from './database-copy.ts';
import type { Depot } from './depot.ts';
import type { Driver } from './driver.ts';
import type { Evidence } from './model/evidence.ts';
import { readHost } from './model/host-rows.ts';
import { idsInLedger } from './model/restores.ts';

/** Put-backs of one world. The second one may use the same backup. */
const MOST = 2;

export interface RestorerDeps {
  readonly depot: Depot;
  readonly drivers: readonly Driver[];
  readonly evidence: () => Evidence;
  /** Ends every server process, and waits until PostgreSQL is idle. */
  readonly killServers: () => Promise<void>;
}

/** An operator who backs PostgreSQL up and puts it back. */
export class Restorer {
  readonly #deps: RestorerDeps;
  #backedUpAt = 0;
  #signIns = new Map<Driver, number>();
  #putBacks = 0;
  #epoch = 0;

  constructor(deps: RestorerDeps) {
    this.#deps = deps;
  }

  get mayPutBack(): boolean {
    return this.#putBacks < MOST;
  }

  /** The first start of a server begins the first epoch. */
  async begin(): Promise<void> {
    await ensureEpoch(this.#deps.depot.db);
    await this.#dateEpoch();
    await this.backUp();
  }

  async backUp(): Promise<void> {
    const { depot, drivers, evidence } = this.#deps;
    await backUp(depot.db);
    this.#backedUpAt = evidence().now;
    this.#signIns = new Map(drivers.map((driver) => [driver, driver.signIns]));
  }

  /**
   * The steps of docs/operations.md: all servers end, the backup takes PostgreSQL's place, and an operator declares it.
   *
   * @returns the log
   */
  async putBack(): Promise<string> {
    const { depot, drivers, evidence, killServers } = this.#deps;
    await killServers();
    const known = evidence();
    const [before, onHost] = [await idsInLedger(known), await readHost(known)];
    await putBack(depot.db);
    // The operator knows the epoch that the earlier announcement printed.
    this.#epoch = (await declareRestored(depot.db, 'disk failure', this.#epoch)).now.epoch;
    await this.#dateEpoch();
    await depot.restart();
    known.restores.add({ backedUpAt: this.#backedUpAt, at: known.now, onHost }, before, await idsInLedger(known));
    for (const { history } of drivers)
      for (const id of history.ids) if (known.restores.hasLost(id)) history.acceptedAt.delete(id);
    await this.#settleSessions(known.now);
    this.#putBacks++;
    return `  ${known.restores.losses} changes are lost`;
  }

  /** PostgreSQL's clock is not the world's. */
  async #dateEpoch(): Promise<void> {
    const { depot, evidence } = this.#deps;
    const newest = 'epoch = (select max(epoch) from server_epoch)';
    await depot.db.query(`update server_epoch set started_at = $1 where ${newest}`, [new Date(evidence().now)]);
  }

  /** Sign-ins since the backup are lost. Sessions that ended since are valid again, until somebody ends them again. */
  async #settleSessions(now: number): Promise<void> {
    const { depot, drivers } = this.#deps;
    for (const driver of drivers) {
      if (driver.signIns !== this.#signIns.get(driver)) driver.leave();
      if (!driver.isSignedIn) await driver.evict(depot.db, now);
    }
  }

  /** Notes which lost changes the server has again. */
  async findAgain(): Promise<void> {
    const { drivers, evidence } = this.#deps;
    const known = evidence();
    const { restores, now } = known;
    const histories = drivers.map(({ history }) => history);
    if (restores.losses > 0) restores.findAgain(await idsInLedger(known), histories, now);
  }
}
