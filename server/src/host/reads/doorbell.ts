import type { Column } from '../files/columns.ts';
import type { HostChanges, HostChange } from './host-changes.ts';
import { readUnlocked } from '../files/dialect.ts';
import type { Host, HostRow } from '../host.ts';
import { inParts } from '../files/in-parts.ts';
import { namesOn, plainMap, type LibraryMap } from '../files/library-map.ts';
import { placeholders } from '../files/statements.ts';
import { isHostFileName, type HostFileName } from '../files/tables.ts';

/** Lines a read. Further lines wait for the next poll; the oldest are read and deleted first. */
const MAX_DOORBELL_ROWS = 200_000;
const DELETED_A_STATEMENT = 500;
const NOW = 'cast(current_timestamp as timestamp) as NOW';

/** PODCHGP: a line for each row that a program other than the service has changed. Ages are by the host's own clock. */
export class Doorbell implements HostChanges {
  readonly comparesAll = false;
  readonly #host: Host;

  constructor(host: Host) {
    this.#host = host;
  }

  async poll(): Promise<{ changes: HostChange[]; unparsable: string[] }> {
    const rows = await this.#oldest(['CHSEQ', 'CHFIL', 'CHOP', 'CHKEY', 'CHUSR', 'CHTS'], MAX_DOORBELL_ROWS, NOW);
    const { map } = this.#host;
    const changes: HostChange[] = [];
    const unparsable: string[] = [];
    for (const { CHSEQ, CHFIL, CHOP, CHKEY, CHUSR, CHTS, NOW: now } of rows) {
      const file = String(CHFIL);
      const sequence = String(CHSEQ);
      if (!isHostFileName(file)) {
        unparsable.push(sequence);
        continue;
      }
      const age = Math.max(0, millisecondsOf(String(now)) - millisecondsOf(String(CHTS)));
      const operation = CHOP === 'D' ? 'delete' : CHOP === 'I' ? 'insert' : 'update';
      changes.push({ sequence, file, operation, key: readKey(file, String(CHKEY), map), user: String(CHUSR), age });
    }
    return { changes, unparsable };
  }

  async pollAgain(): Promise<HostChange[]> {
    return (await this.poll()).changes;
  }

  /** Deletes the oldest lines, unread, a few at a time. @returns their number, up to `most` @throws HostError */
  async clear(max: number): Promise<number> {
    for (let cleared = 0; ; cleared += DELETED_A_STATEMENT) {
      const rows = await this.#oldest(['CHSEQ'], DELETED_A_STATEMENT);
      await this.acknowledge(rows.map(({ CHSEQ }) => String(CHSEQ)));
      const total = cleared + rows.length;
      if (rows.length < DELETED_A_STATEMENT || total >= max) return total;
    }
  }

  /** Other transactions may have committed lower numbers since. */
  async acknowledge(sequences: readonly string[]): Promise<void> {
    const { table, column } = namesOn(this.#host);
    for (const part of inParts(sequences, DELETED_A_STATEMENT)) {
      const list = placeholders(part.length);
      await this.#host.transaction((tx) =>
        tx.execute(`delete from ${table('PODCHGP')} where ${column('CHSEQ')} in ${list}`, part),
      );
    }
  }

  /** A line that another program has locked is left out; the next poll finds it. */
  #oldest(columns: readonly string[], max: number, ...more: string[]): Promise<HostRow[]> {
    const { table, column, selected } = namesOn(this.#host);
    const items = [...columns.map(selected), ...more].join(', ');
    const select = `select ${items} from ${table('PODCHGP')} order by ${column('CHSEQ')} fetch first ${max} rows only`;
    return this.#host.query(readUnlocked(this.#host.dialect, select));
  }
}

/** CHKEY has the key columns side by side, each at its full width; the last one's blanks are trimmed. */
export function readKey(file: HostFileName, text: string, map: LibraryMap = plainMap): { [column: string]: string } {
  let from = 0;
  return Object.fromEntries(
    Object.entries(map.file(file).key).map(([name, column]) => {
      const part = text.slice(from, from + widthOf(column));
      from += widthOf(column);
      return [name, column.kind === 'decimal' ? String(Number(part)) : map.toOurs(name, part.trimEnd())];
    }),
  );
}

function widthOf(column: Column): number {
  if (column.kind === 'char') return column.length;
  return column.kind === 'decimal' ? column.precision : 0;
}

/** Both timestamps come from the host's clock; only their distance counts, so its zone does not matter. */
function millisecondsOf(timestamp: string): number {
  return Date.parse(`${timestamp.slice(0, 23).replace(' ', 'T')}Z`) || 0;
}
