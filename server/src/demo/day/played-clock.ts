/** The clock of the demo day: it shows the played time until the day is over, then the real one. */
export class PlayedClock {
  readonly #real: () => Date;
  #played: Date | undefined;

  constructor(real: () => Date) {
    this.#real = real;
  }

  /** Bound, since the host side uses it as its clock. */
  readonly now = (): Date => new Date(this.#played ?? this.#real());

  turnTo(at: Date): void {
    this.#played = at;
  }

  end(): void {
    this.#played = undefined;
  }
}
