interface Waiting<Request, Answer> {
  readonly request: Request;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
}

export interface GatherLimits {
  /** Sends all questions at once. */
  readonly max?: number;
  /** Runs the first question at once. Later questions wait and share the next run. */
  readonly atOnce?: number;
}

/**
 * Answers concurrent questions together: when a depot's phones reconnect, a hundred hellos cost a few statements on two
 * connections, not a hundred on all of them.
 *
 * @param answerAll one answer for each question, in order
 */
export function gather<Request, Answer extends object>(
  answerAll: (requests: readonly Request[]) => Promise<readonly Answer[]>,
  { max = 500, atOnce = 2 }: GatherLimits = {},
): (request: Request) => Promise<Answer> {
  const waiting: Waiting<Request, Answer>[] = [];
  let running = 0;
  let scheduled = false;

  const answer = async (group: readonly Waiting<Request, Answer>[]): Promise<void> => {
    try {
      const answers = await answerAll(group.map(({ request }) => request));
      for (const [i, { resolve, reject }] of group.entries()) {
        const found = answers[i];
        if (found) resolve(found);
        else reject(new Error('one of several asked together got no answer'));
      }
    } catch (error) {
      for (const { reject } of group) reject(error);
    }
    running--;
    schedule();
  };
  const schedule = (): void => {
    if (scheduled || waiting.length === 0 || running >= atOnce) return;
    scheduled = true;
    // At the end of this turn of the event loop, so that all questions of the turn share the run.
    setImmediate(() => {
      scheduled = false;
      while (waiting.length > 0 && running < atOnce) {
        running++;
        void answer(waiting.splice(0, max));
      }
    });
  };
  return (request) =>
    new Promise((resolve, reject) => {
      waiting.push({ request, resolve, reject });
      schedule();
    });
}
