import { invalidInput } from './validation.ts';

/** Where a page begins, from the `cursor` that the caller got with the page before; undefined for the first page. */
export function readCursor<Cursor>(
  text: string | undefined,
  decode: (text: string) => Cursor | undefined,
): Cursor | undefined {
  if (text === undefined) return undefined;
  const cursor = decode(text);
  if (cursor !== undefined) return cursor;
  throw invalidInput([{ path: 'cursor', message: 'must be the next_cursor of an earlier page' }]);
}
