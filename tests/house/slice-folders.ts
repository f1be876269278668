/** The slices of the server: rules without a database, a host or an edge. */
export const slices = ['auth', 'routes', 'stops', 'assets', 'codes', 'modes', 'reports'];

/** Paths below `server/src/`. */
export const server = (...names: string[]): string[] => names.map((name) => `server/src/${name}`);

export const sliceFolders = server(...slices.map((slice) => `${slice}/`));
