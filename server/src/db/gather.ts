interface Waiting<Ask, Answer> {
  readonly ask: Ask;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
}

export interface GatherLimits {
  /** Sends all questions at once. */
  readonly most?: number;
  /** Runs the first question at once. Later questions wait and share the next run. */
  readonly atOnce?: number;
}

/**
 * Answers concurrent questions together: when a depot's phones reconnect, a hundred hellos cost a few statements on two
 * connections, not a hundred on all of them.
 *
 * @param answerAll one answer for each question, in order
 */
export function gather<Ask, Answer extends object>(
  answerAll: (asks: readonly Ask[]) => Promise<readonly Answer[]>,
  { most = 500, atOnce = 2 }: GatherLimits = {},
): (ask: Ask) => Promise<Answer> {
  const waiting: Waiting<Ask, Answer>[] = [];
  let underWay = 0;
  let scheduled = false;

  const answer = async (group: readonly Waiting<Ask, Answer>[]): Promise<void> => {
    try {
      const answers = await answerAll(group.map(({ ask }) => ask));
      for (const [i, { resolve, reject }] of group.entries()) {
        const found = answers[i];
        if (found) resolve(found);
        else reject(new Error('one of several asked together got no answer'));
      }
    } catch (error) {
      for (const { reject } of group) reject(error);
    }
    underWay--;
    schedule();
  };
  const schedule = (): void => {
    if (scheduled || waiting.length === 0 || underWay >= atOnce) return;
    scheduled = true;
    // At the end of this turn of the event loop, so that all questions of the turn share the run.
    setImmediate(() => {
      scheduled = false;
      while (waiting.length > 0 && underWay < atOnce) {
        underWay++;
        void answer(waiting.splice(0, most));
      }
    });
  };
  return (ask) =>
    new Promise((resolve, reject) => {
      waiting.push({ ask, resolve, reject });
      schedule();
    });
}
