import { routeKey, routeScope, type RouteKey } from '@tailgate/sync-protocol';
import type { Db } from '../../db/types.ts';
import type { Host } from '../../host/host.ts';
import { readRouteKeys, readRoutesOf } from '../../host/reads/reads.ts';
import * as sql from './import-sql.ts';
import type { ChangedMasters } from './changed-routes.ts';
import { weeksOfWork, type WeeksOfWork } from '../../host/reads/weeks-of-work.ts';

export interface RouteChoiceOptions {
  readonly db: Db;
  readonly host: Host;
  readonly clock: () => Date;
  /** IMPORT_FROM: the first week (YYYYMMDD) whose routes are imported. */
  readonly importFrom?: string | undefined;
}

/** Which routes the import looks at, where it is not a route's own row that has rung. */
export class RouteChoice {
  readonly #db: Db;
  readonly #host: Host;
  readonly #weeks: () => WeeksOfWork;
  /** The last answer of `showing`: a comparison asks again for each of its routes. */
  #shown: { readonly changes: string; readonly routes: RouteKey[] } | undefined;

  constructor({ db, host, clock, importFrom }: RouteChoiceOptions) {
    this.#db = db;
    this.#host = host;
    this.#weeks = () => weeksOfWork(clock(), importFrom);
  }

  async open(): Promise<RouteKey[]> {
    return (await this.#db.query<RouteKey>(sql.openRoutes)).rows.map(plainKey);
  }

  /** Open routes here of weeks that are over. */
  async openOfEarlierWeeks(): Promise<RouteKey[]> {
    return (await this.#db.query<RouteKey>(sql.openRoutesBefore, [this.#weeks().openFrom])).rows.map(plainKey);
  }

  /** Whether a route of the host stays there: its week is over, and the mirror lacks it or has it withdrawn. */
  async isHistory(key: RouteKey): Promise<boolean> {
    if (key.week_end >= this.#weeks().openFrom) return false;
    const { rows } = await this.#db.query(sql.findRouteInUse, [key.facility, key.id, key.week_end]);
    return rows.length === 0;
  }

  /** Routes of the host that are no history, and all that are open here. @throws HostError */
  async allThatMatter(): Promise<RouteKey[]> {
    return [...(await readRouteKeys(this.#host, this.#weeks())).flatMap(readableKey), ...(await this.open())];
  }

  /** Closed ones that are no history yet, and such as nobody has told us of. @throws HostError */
  async notOpen(): Promise<RouteKey[]> {
    const open = new Set((await this.open()).map(routeScope));
    return (await this.allThatMatter()).filter((key) => !open.has(routeScope(key)));
  }

  /** Routes that show these drivers. */
  async ofDrivers(drivers: readonly string[]): Promise<RouteKey[]> {
    if (drivers.length === 0) return [];
    return (await this.#db.query<RouteKey>(sql.routesOfDrivers, [drivers])).rows.map(plainKey);
  }

  /**
   * Routes that show what has changed in a master file, as far as they are compared with the host. An invoice names one
   * place: the mirror says which stop showed it before. @throws HostError
   */
  async showing(masters: ChangedMasters): Promise<RouteKey[]> {
    const changes = masters.sequences.join(' ');
    if (this.#shown?.changes !== changes) this.#shown = { changes, routes: await this.#showing(masters) };
    return this.#shown.routes;
  }

  async #showing({ keys }: ChangedMasters): Promise<RouteKey[]> {
    const named = (file: ShownFile, column: string) => (keys.get(file) ?? []).map((key) => key[column] ?? '');
    const masters = {
      customers: named('CUSMSP', 'CMCUS'),
      reps: named('SLSREPP', 'SRID'),
      items: named('ITCOLP', 'ICITM'),
      invoices: named('INVHDP', 'IHINV'),
    };
    if (Object.values(masters).every((names) => names.length === 0)) return [];
    const touched = (await readRoutesOf(this.#host, masters)).flatMap(readableKey);
    const { rows: before } = await this.#db.query<RouteKey>(sql.routesOfInvoices, [masters.invoices]);
    const { rows } = await this.#db.query<RouteKey>(sql.comparedRoutes, [this.#weeks().closedFrom]);
    const compared = new Set(rows.map(routeScope));
    return [...touched, ...before.map(plainKey)].filter((key) => compared.has(routeScope(key)));
  }
}

/** Master files whose rows a route shows at its stops. */
type ShownFile = 'CUSMSP' | 'SLSREPP' | 'ITCOLP' | 'INVHDP';

function plainKey({ facility, id, week_end }: RouteKey): RouteKey {
  return { facility, id, week_end };
}

/** A key on the host that no route can have is not imported; blanks in key columns are the usual case. */
function readableKey(key: RouteKey): RouteKey[] {
  const parsed = routeKey.safeParse(key);
  return parsed.success && key.facility !== '' && key.id !== '' ? [parsed.data] : [];
}
