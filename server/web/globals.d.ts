// Constants that the build puts into the pages, see build/bundle.ts.

/** Whether this is a build of `npm run dev`. */
declare const DEVELOPMENT: boolean;
/** In the worker: all files of this version with their hashes, relative to the worker. */
declare const SHELL_FILES: Readonly<Record<string, string>>;
/** In the worker: changes with each of the files. */
declare const SHELL_VERSION: string;

declare module '*.css';

/** The address of a file, relative to the script that imports it: `new URL(address, import.meta.url)`. */
declare module '*.wasm' {
  const address: string;
  export default address;
}
declare module '*.svg' {
  const address: string;
  export default address;
}
declare module '*.png' {
  const address: string;
  export default address;
}
declare module '*.mp3' {
  const address: string;
  export default address;
}
