import { sendEveryStatement } from '../../server/src/host/exercise/every-statement.ts';
import type { Dialect } from '../../server/src/host/files/dialect.ts';
import { plainMap, type LibraryMap } from '../../server/src/host/files/library-map.ts';
import type { Host, HostRow } from '../../server/src/host/host.ts';

const library = 'PODDTA';

/** An empty host: it collects the texts of the statements that it gets. One route is open. */
class EmptyHost implements Host {
  readonly library = library;
  readonly dialect: Dialect;
  readonly map: LibraryMap;
  readonly texts = new Set<string>();

  constructor(dialect: Dialect, map: LibraryMap) {
    this.dialect = dialect;
    this.map = map;
  }

  async query(sql: string): Promise<HostRow[]> {
    this.texts.add(sql);
    return /^select [^()]*RHPODS from/.test(sql) && !sql.includes('RHUUSR')
      ? [{ RHFAC: 'F01', RHRTE: 'R1', RHWKE: '20261128', RHPODS: '' }]
      : [];
  }

  transaction: Host['transaction'] = (work) =>
    work({ query: (sql) => this.query(sql), execute: async (sql) => (await this.query(sql)).length });

  isAtomic = (): boolean => true;
  ping = async () => ({ ccsid: 37, user: '', job: '', library });
  describe = async () => undefined;
  close = async () => undefined;
}

/** Every statement of the service for its files, in this dialect. */
export async function statementsOf(dialect: Dialect, map = plainMap): Promise<string[]> {
  const host = new EmptyHost(dialect, map);
  await sendEveryStatement(host);
  return [...host.texts];
}
