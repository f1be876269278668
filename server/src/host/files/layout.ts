import type { HostFileName } from './tables.ts';

/** The version of the files in this release. A library has its own in PODCTLP (CTLAY); the scripts set it. */
export const layoutVersion = 4;

interface LayoutAddition {
  readonly version: number;
  /** New files, whole. */
  readonly files: readonly HostFileName[];
  /** New columns of existing files. */
  readonly columns: Readonly<Partial<Record<HostFileName, readonly string[]>>>;
  /** Existing files that had no access path before. */
  readonly paths?: readonly HostFileName[];
}

/**
 * Columns of the rows that the service writes and that an earlier library may lack: then no statement names them. PODCTLP
 * has a way of its own (`Handshake`), and no statement names what the host assigns.
 */
export const laterColumns = {
  RTSTUP: ['RUARDT', 'RUARTM'],
  PODRPLP: ['RLWHO', 'RLUSR', 'RLCOL', 'RLOLD', 'RLNEW'],
} as const satisfies LayoutAddition['columns'];

/** The additions of each version. Nothing is ever removed or changed. */
const additions: readonly LayoutAddition[] = [
  {
    version: 2,
    files: ['PODRCNP'],
    columns: { PODCTLP: ['CTLAY', 'CTQUI', 'CTSEN', 'CTBEH', 'CTPRK', 'CTERR', 'CTERU'] },
  },
  {
    version: 3,
    files: [],
    columns: { RTSTUP: ['RUCHTS', 'RUCHSQ'], PODRPLP: ['RLCHTS', 'RLCHSQ'] },
    paths: ['RTSTUP', 'PODRPLP'],
  },
  {
    version: 4,
    files: [],
    columns: laterColumns,
  },
];

/** A file that a later version has changed: as a whole, or by some columns. */
export interface ChangedFile {
  readonly file: HostFileName;
  /** Undefined: the file itself is new. */
  readonly columns: readonly string[] | undefined;
  /** Whether its access paths are new. */
  readonly hasNewPaths: boolean;
}

/** All additions after the version `from`, in order. */
export function additionsSince(from: number): ChangedFile[] {
  return additions
    .filter(({ version }) => version > from)
    .flatMap(({ files, columns, paths = [] }) => [
      ...files.map((file) => ({ file, columns: undefined, hasNewPaths: true })),
      ...fileNames(columns).map((file) => ({ file, columns: columns[file] ?? [], hasNewPaths: paths.includes(file) })),
    ]);
}

/**
 * The layout of a library: it lacks everything of later versions. A library with a part of a version has that version, and
 * the part is a fault.
 */
export function layoutOf(isMissing: (file: HostFileName, column?: string) => boolean): number {
  const isWhollyMissing = ({ files, columns }: LayoutAddition): boolean =>
    files.every((file) => isMissing(file)) &&
    fileNames(columns).every((file) => (columns[file] ?? []).every((column) => isMissing(file, column)));
  return additions.findLast((addition) => !isWhollyMissing(addition))?.version ?? 1;
}

function fileNames(columns: LayoutAddition['columns']): HostFileName[] {
  return Object.keys(columns).filter((name): name is HostFileName => name in columns);
}
