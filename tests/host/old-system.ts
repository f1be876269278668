// The system that a company uses today, made up for tests: it writes the files of the host as docs/host-files.md prints
// them. It imports nothing of the service, so that a mistake there is no agreement here.

export type Query = (sql: string, values?: readonly unknown[]) => Promise<unknown>;

export interface OldRoute {
  readonly facility: string;
  readonly route: string;
  /** YYYYMMDD */
  readonly week: number;
}

export interface OldStop extends OldRoute {
  readonly stop: number;
}

type Values = Readonly<Record<string, string | number>>;

/** The old system at its work, through a connection of its own. */
export class OldSystem {
  readonly #query: Query;
  readonly #library: string;

  constructor(query: Query, library = 'PODDTA') {
    this.#query = query;
    this.#library = library;
  }

  /** A route with its driver, and stops with one line each. Stop 999 is the warehouse. */
  async dispatch(route: OldRoute, driver: string, stops: readonly number[], day: number): Promise<void> {
    const { facility: fac, route: rte, week } = route;
    const insert = (file: string, prefix: string, columns: Values): Promise<unknown> => {
      const all: Values = { [`${prefix}FAC`]: fac, [`${prefix}RTE`]: rte, [`${prefix}WKE`]: week, ...columns };
      const marks = Object.keys(all).map((_, index) => `$${index + 1}`);
      const text = `insert into ${this.#library}.${file} (${Object.keys(all).join(', ')}) values (${marks.join(', ')})`;
      return this.#query(text, Object.values(all));
    };
    await insert('RTHDRP', 'RH', { RHNAM: `Route ${rte}`, RHDSDT: day });
    await insert('RTDRVP', 'RD', { RDEMP: driver, RDTYP: 'DRIVER', RDSEQ: 1 });
    for (const [index, stop] of stops.entries()) {
      const type = stop === 999 ? 'W' : 'D';
      await insert('RTSTPP', 'RS', {
        RSSTP: stop,
        RSTYP: type,
        RSCUS: stop === 999 ? '' : `C${stop}`,
        RSSEQ: index + 1,
      });
      if (type === 'D')
        await insert('RTPRDP', 'RP', { RPSTP: stop, RPINV: `INV${stop}`, RPITM: 'ITEM1', RPLIN: 1, RPQTY: 5 });
    }
  }

  /** RSSTS of the stop, and its row of RTSTUP. */
  async writeResult(stop: OldStop, status: string, columns: Values): Promise<void> {
    await this.#update('RTSTPP', 'RS', stop, { RSSTS: status });
    await this.#insert('RTSTUP', 'RU', stop, { RUSTS: status, RUFLWF: 'N', RUCMTL: 'N', ...columns });
  }

  /** A line's result: its key RQINV, RQITM, RQLIN, RQTYP, and its columns. */
  writeLine(stop: OldStop, columns: Values): Promise<void> {
    return this.#insert('RTPRUP', 'RQ', stop, columns);
  }

  /** An exception, numbered as this system does. */
  writeException(stop: OldStop, columns: Values): Promise<void> {
    return this.#insert('RTOSDP', 'OS', stop, { OSDELF: 'N', ...columns });
  }

  /** A photo, in the place and under the number that this system gives it. */
  writePhoto(stop: OldStop, columns: Values): Promise<void> {
    return this.#insert('RTIMGP', 'RI', stop, columns);
  }

  /** An address for the mail about exceptions. */
  writeAddress(stop: OldStop, columns: Values): Promise<void> {
    return this.#insert('RTEMLP', 'RE', stop, columns);
  }

  /** A correction by a clerk of the old system. */
  correct(stop: OldStop, columns: Values): Promise<void> {
    return this.#update('RTSTUP', 'RU', stop, columns);
  }

  async close(route: OldRoute, columns: Values): Promise<void> {
    const entries = Object.entries({ RHPODS: 'C', ...columns });
    const set = entries.map(([name], index) => `${name} = $${index + 4}`).join(', ');
    const where = 'RHFAC = $1 and RHRTE = $2 and RHWKE = $3';
    const values = [route.facility, route.route, route.week, ...entries.map(([, value]) => value)];
    await this.#query(`update ${this.#library}.RTHDRP set ${set} where ${where}`, values);
  }

  async #insert(file: string, prefix: string, stop: OldStop, columns: Values): Promise<void> {
    const all = {
      ...keyOf(prefix, stop),
      ...columns,
      [`${prefix}CUSR`]: 'OLDPOD',
      [`${prefix}CPGM`]: 'POD100R',
      [`${prefix}UUSR`]: 'OLDPOD',
      [`${prefix}UPGM`]: 'POD100R',
    };
    const names = Object.keys(all);
    const marks = names.map((_, index) => `$${index + 1}`).join(', ');
    await this.#query(
      `insert into ${this.#library}.${file} (${names.join(', ')}) values (${marks})`,
      Object.values(all),
    );
  }

  async #update(file: string, prefix: string, stop: OldStop, columns: Values): Promise<void> {
    const set = Object.keys(columns).map((name, index) => `${name} = $${index + 5}`);
    const key = Object.keys(keyOf(prefix, stop)).map((name, index) => `${name} = $${index + 1}`);
    await this.#query(
      `update ${this.#library}.${file} set ${set.join(', ')}, ${prefix}UUSR = 'OLDPOD' where ${key.join(' and ')}`,
      [...Object.values(keyOf(prefix, stop)), ...Object.values(columns)],
    );
  }
}

const keyOf = (prefix: string, { facility, route, week, stop }: OldStop): Values => ({
  [`${prefix}FAC`]: facility,
  [`${prefix}RTE`]: route,
  [`${prefix}WKE`]: week,
  [`${prefix}STP`]: stop,
});
