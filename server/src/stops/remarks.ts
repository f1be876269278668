import type { Remark, StopStatus, Warning } from '@tailgate/sync-protocol';
import { mostLineDetail, mostUnknownLines, mostUnknownLinesOfRoute } from '@tailgate/sync-protocol';

/** Puts the remarks of the field rules into words, with the stop's status before and after the update. */
export const inWords = (remark: Remark, before: StopStatus, after: StopStatus): Warning => ({
  ...remark,
  message: wordsOf(remark, before, after),
});

function wordsOf({ code, path }: Remark, before: StopStatus, after: StopStatus): string {
  if (code === 'superseded') return 'a later edit of this field stands';
  if (code === 'amended') return `the stop was delivered before and is ${after} now`;
  if (code === 'too_many_lines') return path.endsWith('.updates') ? tooMuchDetail : tooManyLines;
  return before === 'C'
    ? 'a stop that is complete stays complete'
    : `a stop that is ${before} does not become pending again`;
}

const tooManyLines = `a stop keeps ${mostUnknownLines} lines that its plan does not have, a route ${mostUnknownLinesOfRoute}`;
const tooMuchDetail = `the lines of a stop keep ${mostLineDetail} characters of exceptions, photos and open_action`;
