import { stopFiles, type StopFile, type StopRows } from '../../stops/host-stop.ts';
import { equalBut } from '../../stops/confirmed-rows.ts';
import { hostFile } from '../../host/files/tables.ts';
import { isAsPlanned } from './judge.ts';

/** Who wrote on the host, and when by our clock. */
export interface Author {
  /** Blank where nothing names the user yet. */
  readonly user: string;
  readonly at: Date;
}

/**
 * Who touched a stop last; `isLaid`: its row in RTSTPP is a new one; `rows`: who touched which of its rows last, as far as
 * that is known.
 */
export interface StopEditor extends Author {
  readonly isLaid?: boolean;
  readonly rows?: ReadonlyMap<string, Author>;
}

/** What one hand wrote, and the stop's rows as they stood then. */
export interface EditTurn extends Author {
  readonly rows: StopRows;
}

/** An edit of the office where neither the doorbell nor the row names its user. */
export const unknownUser = 'office';

/** A screen is saved by several statements; what somebody writes within this time is one edit. */
const ONE_EDIT_MS = 2_000;

type Row = { readonly [column: string]: string };

/**
 * What others have written into a stop's rows since `before`, hand by hand, oldest first. Each row counts as of its own last
 * touch: a comment that was corrected at nine must not overrule what the driver said at ten because somebody put a count
 * right at eleven (I7), nor be told as the words of whoever did that. A row that no line names is its last writer's.
 *
 * @param writers by row name, the user that the row's audit tail names
 */
export function editTurns(
  before: StopRows | undefined,
  found: StopRows,
  editor: StopEditor,
  writers: ReadonlyMap<string, string> = new Map(),
): EditTurn[] {
  const authorOf = (name: string): Author => {
    const told = editor.rows?.get(name);
    const { user, at } = told ?? editor.rows?.get(stopPart(name)) ?? editor;
    return { user: told?.user || writers.get(name) || user || unknownUser, at };
  };
  const changed = stopFiles.flatMap((file) => changedRows(file, before?.[file] ?? [], found[file]));
  const edits = inEdits(changed.map((name) => ({ name, author: authorOf(name) })));
  if (edits.length < 2) return [{ ...(edits[0]?.author ?? lastHand(editor)), rows: found }];
  const taken = new Set<string>();
  return edits.map(({ names, author }, index) => {
    for (const name of names) taken.add(name);
    return { ...author, rows: index === edits.length - 1 ? found : rowsAfter(before, found, taken) };
  });
}

/** A row's name among those that the doorbell tells of: its file and its key. */
export function rowName(file: string, key: readonly string[]): string {
  return [file, ...key].join('\t');
}

/** Where nobody knows which row of a file it was: the file, and the key of the stop. */
const stopPart = (name: string): string => name.split('\t', 5).join('\t');

const lastHand = ({ user, at }: StopEditor): Author => ({ user: user || unknownUser, at });

export function hostRowName(file: StopFile, row: Row): string {
  return rowName(
    file,
    Object.keys(hostFile(file).key).map((column) => row[column] ?? ''),
  );
}

function changedRows(file: StopFile, before: readonly Row[], found: readonly Row[]): string[] {
  const [then, now] = [byName(file, before), byName(file, found)];
  return namesOf(then, now).filter((name) => {
    const [was, is] = [then.get(name), now.get(name)];
    // A stop as it is planned is nobody's edit.
    if (!was && is && isAsPlanned(file, is)) return false;
    return !(was && is && equalBut(is, was));
  });
}

const byName = <R extends Row>(file: StopFile, rows: readonly R[]): Map<string, R> =>
  new Map(rows.map((row) => [hostRowName(file, row), row]));

/** In the order of what is there now; what is gone comes last. */
const namesOf = (then: ReadonlyMap<string, Row>, now: ReadonlyMap<string, Row>): string[] => [
  ...new Set([...now.keys(), ...then.keys()]),
];

interface Edit {
  readonly names: string[];
  readonly since: number;
  author: Author;
}

function inEdits(touched: readonly { name: string; author: Author }[]): Edit[] {
  const edits: Edit[] = [];
  for (const { name, author } of touched.toSorted((a, b) => a.author.at.getTime() - b.author.at.getTime())) {
    const last = edits.at(-1);
    if (last && last.author.user === author.user && author.at.getTime() - last.since < ONE_EDIT_MS) {
      last.names.push(name);
      last.author = author;
    } else edits.push({ names: [name], since: author.at.getTime(), author });
  }
  return edits;
}

/** The rows as found where they are `taken` already, else as before. */
function rowsAfter(before: StopRows | undefined, found: StopRows, taken: ReadonlySet<string>): StopRows {
  const after = <R extends Row>(file: StopFile, was: readonly R[] = [], is: readonly R[] = []): R[] => {
    const [then, now] = [byName(file, was), byName(file, is)];
    return namesOf(then, now)
      .map((name) => (taken.has(name) ? now : then).get(name))
      .filter((row) => row !== undefined);
  };
  return {
    RTSTPP: after('RTSTPP', before?.RTSTPP, found.RTSTPP),
    RTPRUP: after('RTPRUP', before?.RTPRUP, found.RTPRUP),
    RTOSDP: after('RTOSDP', before?.RTOSDP, found.RTOSDP),
    RTIMGP: after('RTIMGP', before?.RTIMGP, found.RTIMGP),
    RTEMLP: after('RTEMLP', before?.RTEMLP, found.RTEMLP),
    RTSTUP: after('RTSTUP', before?.RTSTUP, found.RTSTUP),
  };
}
