/** A page that the server serves: its sources and its output have the folders of these names. */
interface PageTarget {
  /** For people, at the start of a line. */
  readonly title: string;
  /** The folder in `server/web`. */
  readonly source: string;
  /** The folder in the output, and the page's address below the server's. */
  readonly output: string;
  /** The most bytes of the first load, compressed by gzip. */
  readonly firstLoadLimit: number;
  /** A page of one file among its files: its name, and its folder in `server/web`. People save it, and open it by a double click. */
  readonly single?: { readonly name: string; readonly source: string };
}

export const pages: readonly PageTarget[] = [
  { title: 'driver app', source: 'driver', output: 'app', firstLoadLimit: 110_000 },
  { title: 'office console', source: 'office', output: 'office', firstLoadLimit: 120_000 },
  {
    title: 'evidence page',
    source: 'evidence',
    output: 'evidence',
    firstLoadLimit: 30_000,
    single: { name: 'verify.html', source: 'verify' },
  },
];
