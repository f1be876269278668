import { readUnlocked } from '../files/dialect.ts';
import { namesOn } from '../files/library-map.ts';
import { placeholders } from '../files/statements.ts';
import type { Host } from '../host.ts';

/** A line of PODRPLP. */
export interface LogLine {
  readonly trace: string;
  /** YYYYMMDD on the clock of its facility. */
  readonly day: string;
}

/** The oldest lines, by the number of the host. Lines of before layout 3 have none, and come first. @throws HostError */
export async function oldestLogLines(host: Host, most: number): Promise<LogLine[]> {
  const { table, column, selected } = namesOn(host);
  const columns = ['RLTRC', 'RLDAT'].map(selected).join(', ');
  const select = `select ${columns} from ${table('PODRPLP')} order by ${column('RLCHSQ')} fetch first ${most} rows only`;
  const rows = await host.query(readUnlocked(host.dialect, select));
  return rows.map(({ RLTRC, RLDAT }) => ({ trace: String(RLTRC), day: String(RLDAT) }));
}

/** Deletes the lines with these trace ids from before a day. @throws HostError */
export async function deleteLogLines(host: Host, traces: readonly string[], before: string): Promise<void> {
  const { table, column } = namesOn(host);
  const list = placeholders(traces.length);
  const deletion = `delete from ${table('PODRPLP')} where ${column('RLTRC')} in ${list} and ${column('RLDAT')} < ?`;
  await host.transaction((tx) => tx.execute(deletion, [...traces, before]));
}
