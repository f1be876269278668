/** A wait that continues. */
interface OpenWait {
  readonly since: number;
  /** Its stack is the place of the wait; a report alone renders it. */
  readonly begun: Error;
  readonly seen: () => unknown;
}

const open = new Set<OpenWait>();

/**
 * Lists `wait` among the open waits until it ends. A test that fails meanwhile, for instance by its time limit, reports
 * them (`each-file.ts`).
 * @param seen the present state of the subject, for the report
 */
export async function listed<Value>(wait: Promise<Value>, seen: () => unknown = () => undefined): Promise<Value> {
  const entry = { since: performance.now(), begun: new Error('a wait begins'), seen };
  open.add(entry);
  try {
    return await wait;
  } finally {
    open.delete(entry);
  }
}

/** Returns the open waits, one line each, and clears the list. */
export function takeOpenWaits(): string[] {
  const waits = [...open];
  open.clear();
  return waits.map(({ since, begun, seen }) => {
    const state = JSON.stringify(seen());
    const what = state === undefined ? '' : `, at ${state.slice(0, LONGEST_STATE)}`;
    return `${placesOf(begun.stack ?? '').join(' < ')}, since ${((performance.now() - since) / 1_000).toFixed(1)} s${what}`;
  });
}

const LONGEST_STATE = 300;
const PLACES = 3;

/** The innermost calls in tests, without this file: `untilClosed (tests/support/field-app.ts:184:5)`. */
function placesOf(stack: string): string[] {
  return stack
    .split('\n')
    .filter((line) => /\/tests\//.test(line) && !line.includes('open-waits.ts'))
    .map((line) => line.replace(/^\s*at /, '').replace(/(?:file:\/\/)?\/\S*?\/(?=tests\/)/, ''))
    .slice(0, PLACES);
}
