/** The answer, or an error after `ms` that names `whom`. The late answer is ignored. */
export async function within<Answer>(ms: number, whom: string, answer: Promise<Answer>): Promise<Answer> {
  let timer: NodeJS.Timeout | undefined;
  const timedOut = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${whom} gave no answer within ${ms} ms`)), ms);
  });
  try {
    return await Promise.race([answer, timedOut]);
  } finally {
    clearTimeout(timer);
  }
}

/** One request at a time: concurrent callers share its answer, so that a slow source collects no queue. */
export class SingleFlight<Answer> {
  #running: Promise<Answer> | undefined;

  ask(work: () => Promise<Answer>): Promise<Answer> {
    this.#running ??= work().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }
}
