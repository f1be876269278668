import { stopFiles, type StopFile, type StopRows } from '../../stops/host-stop.ts';
import { equalExcept } from '../../stops/confirmed-rows.ts';
import { hostFile } from '../../host/files/tables.ts';
import { isAsPlanned } from './judge.ts';

/** The author of an edit on the host, and its time by the server's clock. */
export interface Author {
  /** Blank where no source names the user yet. */
  readonly user: string;
  readonly at: Date;
}

/**
 * The last editor of a stop. `isLaid`: its row in RTSTPP is new; `rows`: the last editor of each row, as far as known.
 */
export interface StopEditor extends Author {
  readonly isInserted?: boolean;
  readonly rows?: ReadonlyMap<string, Author>;
}

/** The edit of one author, and the stop's rows after it. */
export interface AuthorEdit extends Author {
  readonly rows: StopRows;
}

/** An office edit without a user, neither in the doorbell nor in the row. */
export const unknownUser = 'office';

/** A screen saves with several statements: changes of one user within this time are one edit. */
const ONE_EDIT_MS = 2_000;

type Row = { readonly [column: string]: string };

/**
 * Splits foreign changes of a stop's rows since `before` into edits by author, oldest first. Each row counts as of its own
 * last change. A comment corrected at nine must not overrule the driver's of ten because another clerk corrected a count at
 * eleven (I7), nor carry that clerk's name. A row without a doorbell line belongs to its last writer.
 *
 * @param writers by row name, the user in the row's audit tail
 */
export function splitByAuthor(
  before: StopRows | undefined,
  found: StopRows,
  editor: StopEditor,
  writers: ReadonlyMap<string, string> = new Map(),
): AuthorEdit[] {
  const authorOf = (name: string): Author => {
    const reported = editor.rows?.get(name);
    const { user, at } = reported ?? editor.rows?.get(stopPart(name)) ?? editor;
    return { user: reported?.user || writers.get(name) || user || unknownUser, at };
  };
  const changed = stopFiles.flatMap((file) => changedRows(file, before?.[file] ?? [], found[file]));
  const edits = groupEdits(changed.map((name) => ({ name, author: authorOf(name) })));
  if (edits.length < 2) return [{ ...(edits[0]?.author ?? lastAuthor(editor)), rows: found }];
  const taken = new Set<string>();
  return edits.map(({ names, author }, index) => {
    for (const name of names) taken.add(name);
    return { ...author, rows: index === edits.length - 1 ? found : rowsAfter(before, found, taken) };
  });
}

/** A row's name in doorbell lines: its file and its key. */
export function rowName(file: string, key: readonly string[]): string {
  return [file, ...key].join('\t');
}

/** The file and the key of the stop, for an edit whose row is unknown. */
const stopPart = (name: string): string => name.split('\t', 5).join('\t');

const lastAuthor = ({ user, at }: StopEditor): Author => ({ user: user || unknownUser, at });

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
    // A stop as planned is no edit.
    if (!was && is && isAsPlanned(file, is)) return false;
    return !(was && is && equalExcept(is, was));
  });
}

const byName = <R extends Row>(file: StopFile, rows: readonly R[]): Map<string, R> =>
  new Map(rows.map((row) => [hostRowName(file, row), row]));

/** In the order of the present rows; deleted rows come last. */
const namesOf = (then: ReadonlyMap<string, Row>, now: ReadonlyMap<string, Row>): string[] => [
  ...new Set([...now.keys(), ...then.keys()]),
];

interface Edit {
  readonly names: string[];
  readonly since: number;
  author: Author;
}

function groupEdits(touched: readonly { name: string; author: Author }[]): Edit[] {
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

/** Rows that are in `taken` as found, the others as before. */
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
