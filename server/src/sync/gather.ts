interface Waiting<Ask, Answer> {
  readonly ask: Ask;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Answers together what is asked within one turn of the event loop: when a depot's phones come back at once, a hundred
 * hellos cost one statement.
 *
 * @param answerAll one answer for each ask, in order
 * @param most asks in one go
 */
export function gather<Ask, Answer extends object>(
  answerAll: (asks: readonly Ask[]) => Promise<readonly Answer[]>,
  most = 500,
): (ask: Ask) => Promise<Answer> {
  let waiting: Waiting<Ask, Answer>[] = [];
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
  };
  return (ask) =>
    new Promise((resolve, reject) => {
      waiting.push({ ask, resolve, reject });
      if (waiting.length > 1) return;
      setImmediate(() => {
        const all = waiting;
        waiting = [];
        for (let i = 0; i < all.length; i += most) void answer(all.slice(i, i + most));
      });
    });
}
