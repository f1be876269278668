/** An answer, or an error that says that `whom` gave none within `ms`. The answer itself goes on, unheard. */
export async function within<Answer>(ms: number, whom: string, answer: Promise<Answer>): Promise<Answer> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${whom} gave no answer within ${ms} ms`)), ms);
  });
  try {
    return await Promise.race([answer, tooLate]);
  } finally {
    clearTimeout(timer);
  }
}

/** Asked once at a time: who asks meanwhile shares the answer, so that what is slow collects no queue. */
export class SingleFlight<Answer> {
  #underWay: Promise<Answer> | undefined;

  ask(work: () => Promise<Answer>): Promise<Answer> {
    this.#underWay ??= work().finally(() => {
      this.#underWay = undefined;
    });
    return this.#underWay;
  }
}
