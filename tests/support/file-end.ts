type Ending = (failed: boolean) => Promise<void>;

const endings: Ending[] = [];

/** Runs `ending` after the last test and hook of this file, the latest first; the argument is whether a test failed. */
export function atFileEnd(ending: Ending): void {
  endings.push(ending);
}

export async function endFile(failed: boolean): Promise<void> {
  const errors: unknown[] = [];
  for (let ending = endings.pop(); ending; ending = endings.pop()) {
    await ending(failed).catch((error: unknown) => errors.push(error));
  }
  if (errors.length === 1) throw errors[0];
  if (errors.length > 1) throw new AggregateError(errors, 'several parts could not be closed');
}
