import { routeKey, routeScope, type RouteKey } from '@tailgate/sync-protocol';
import type { Db } from '../../db/types.ts';
import type { Host } from '../../host/host.ts';
import { readRouteKeys, readRoutesOf } from '../../host/reads/reads.ts';
import * as sql from './import-sql.ts';
import type { ChangedMasters } from './changed-routes.ts';
import { takesRoute, type CellFacilities } from '../../modes/cell-facilities.ts';
import { importedWeeks, type ImportedWeeks } from '../../host/reads/imported-weeks.ts';

export interface RouteChoiceOptions {
  readonly db: Db;
  readonly host: Host;
  readonly clock: () => Date;
  /** IMPORT_FROM: the first week (YYYYMMDD) whose routes are imported. */
  readonly importFrom?: string | undefined;
  /** FACILITIES; undefined: all. */
  readonly facilities?: CellFacilities | undefined;
}

/** Chooses the routes to import where a line names something else than the route's own row. */
export class RouteChoice {
  readonly #db: Db;
  readonly #host: Host;
  readonly #weeks: () => ImportedWeeks;
  /** The last result of `showing`: a comparison needs it for each of its routes. */
  #shown: { readonly changes: string; readonly routes: RouteKey[] } | undefined;
  readonly #facilities: CellFacilities | undefined;

  constructor({ db, host, clock, importFrom, facilities }: RouteChoiceOptions) {
    this.#db = db;
    this.#host = host;
    this.#facilities = facilities;
    this.#weeks = () => importedWeeks(clock(), importFrom);
  }

  async open(): Promise<RouteKey[]> {
    return (await this.#db.query<RouteKey>(sql.openRoutes)).rows.map(plainKey);
  }

  /** Open routes in the mirror whose week is over. */
  async openOfEarlierWeeks(): Promise<RouteKey[]> {
    return (await this.#db.query<RouteKey>(sql.openRoutesBefore, [this.#weeks().openFrom])).rows.map(plainKey);
  }

  /**
   * Whether a route stays out of the mirror: its week is over or another cell takes it, and the mirror lacks it or has
   * withdrawn it. A cell goes on with the routes that it has (docs/scaling.md).
   */
  async staysOut(key: RouteKey): Promise<boolean> {
    if (takesRoute(this.#facilities, key) && key.week_end >= this.#weeks().openFrom) return false;
    const { rows } = await this.#db.query(sql.findRouteInUse, [key.facility, key.id, key.week_end]);
    return rows.length === 0;
  }

  /** The host's routes of current weeks, and all open routes of the mirror. @throws HostError */
  async currentRoutes(): Promise<RouteKey[]> {
    const onHost = (await readRouteKeys(this.#host, this.#weeks())).flatMap(readableKey);
    return [...onHost.filter((key) => takesRoute(this.#facilities, key)), ...(await this.open())];
  }

  /** Closed routes of current weeks, and those unknown to the mirror. @throws HostError */
  async notOpen(): Promise<RouteKey[]> {
    const open = new Set((await this.open()).map(routeScope));
    return (await this.currentRoutes()).filter((key) => !open.has(routeScope(key)));
  }

  /**
   * Compared routes that show changed rows of master files. An invoice names one place: the mirror has the stop that showed
   * it before. @throws HostError
   */
  async routesShowing(masters: ChangedMasters): Promise<RouteKey[]> {
    const changes = masters.sequences.join(' ');
    if (this.#shown?.changes !== changes) this.#shown = { changes, routes: await this.#routesShowing(masters) };
    return this.#shown.routes;
  }

  async #routesShowing({ keys }: ChangedMasters): Promise<RouteKey[]> {
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

/** Skips keys on the host that no route can have; mostly key columns are blank. */
function readableKey(key: RouteKey): RouteKey[] {
  const parsed = routeKey.safeParse(key);
  return parsed.success && key.facility !== '' && key.id !== '' ? [parsed.data] : [];
}
