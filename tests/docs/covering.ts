/** A test that covers fields, by the beginnings of their paths; `''` means every field of the payload. */
export interface Covering {
  readonly fields: readonly string[];
  /** Relative to tests/. */
  readonly file: string;
  /** The title in the file, or its beginning. */
  readonly title: string;
}

const all = [''];
/** @param fields the beginnings of their paths; default: all */
export const cover = (file: string, title: string, fields: readonly string[] = all): Covering => ({
  fields,
  file,
  title,
});
