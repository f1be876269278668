/** Conditions that are checked after each event. */
export class Watchers {
  readonly #checks = new Set<() => void>();

  /** Resolves as soon as `isSo` returns true. */
  until(isSo: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const check = (): void => {
        if (!isSo()) return;
        this.#checks.delete(check);
        resolve();
      };
      this.#checks.add(check);
      check();
    });
  }

  check(): void {
    for (const check of [...this.#checks]) check();
  }
}
