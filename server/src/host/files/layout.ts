import type { HostFileName } from './tables.ts';

/** The version of the files in this release. A library has its own in PODCTLP (CTLAY); the scripts set it. */
export const layoutVersion = 2;

interface LayoutAddition {
  readonly version: number;
  /** New files, whole. */
  readonly files: readonly HostFileName[];
  /** New columns of existing files. */
  readonly columns: Readonly<Partial<Record<HostFileName, readonly string[]>>>;
}

/** The additions of each version. Nothing is ever removed or changed. */
const additions: readonly LayoutAddition[] = [
  {
    version: 2,
    files: ['PODRCNP'],
    columns: { PODCTLP: ['CTLAY', 'CTQUI', 'CTSEN', 'CTBEH', 'CTPRK', 'CTERR', 'CTERU'] },
  },
];

/** A file that a later version has changed: as a whole, or by some columns. */
export interface ChangedFile {
  readonly file: HostFileName;
  /** Undefined: the file itself is new. */
  readonly columns: readonly string[] | undefined;
}

/** All additions after the version `from`, in order. */
export function additionsSince(from: number): ChangedFile[] {
  return additions
    .filter(({ version }) => version > from)
    .flatMap(({ files, columns }) => [
      ...files.map((file) => ({ file, columns: undefined })),
      ...fileNames(columns).map((file) => ({ file, columns: columns[file] ?? [] })),
    ]);
}

function fileNames(columns: LayoutAddition['columns']): HostFileName[] {
  return Object.keys(columns).filter((name): name is HostFileName => name in columns);
}
