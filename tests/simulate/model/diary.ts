import { isDeepStrictEqual } from 'node:util';
/** The values of a stop: enough for every kind of row on the host. No driver records `C`: a timer sets it. */
export interface StopValues {
  readonly status?: 'D' | 'S' | 'R' | 'C';
  readonly arrived?: true;
  readonly driver_comments?: string;
  readonly store_emp_name?: string;
  /** Id of a file. */
  readonly signature_id?: string;
  /** Of the stop's first line. */
  readonly delivered?: number;
  /** Of the stop's second line. */
  readonly returned?: number;
  /** All exceptions of the first line, in the notation of `exceptions.ts`. */
  readonly exceptions?: string;
  readonly skip_refuse_reason_code?: string;
  readonly skip_refuse_driver_comment?: string;
  /** Two times as the phone's clock showed them, which may be wrong by days. */
  readonly end_delivery_time?: string;
  readonly skip_refuse_timestamp?: string;
  /** A load report, as `ID:COMMENT`; the comments of two sections have a `|` between. */
  readonly report?: string;
}

/** The `stop` of a load report: it belongs to no stop and no route. */
export const REPORT = 0;

/** The `stop` of a change by a newer app, of a kind that the server does not know. */
export const NEWER_KIND = -1;

/** A tap. Taps that the SDK merged into one change share its id. */
export interface Tap {
  /** Grows with each tap of a world. */
  readonly n: number;
  readonly id: string;
  readonly by: string;
  readonly stop: number;
  readonly values: StopValues;
  /** In the time of the world, which no phone knows. */
  readonly at: number;
  /** The app has reported that the change is on the disk. From then on it must not get lost. */
  isSaved: boolean;
  /** The phone's storage was set back, or damaged, and lacks the change since. */
  isLost?: boolean;
  /** The server may have received a lost change, and no receipt shows it. */
  isStray?: boolean;
}

/** The actions of one driver, in order, as the driver (not the phone) recorded them. */
export class DriverHistory {
  taps: Tap[] = [];
  /** Lost changes that no receipt confirmed. The server may have some of them all the same. */
  #strays: Tap[] = [];
  /** When the phone first reported that the server has a change, by its id; in the time of the world. */
  readonly acceptedAt = new Map<string, number>();

  /** Ids of the changes, in the order in which the driver began them. */
  get ids(): string[] {
    return [...new Set(this.taps.map(({ id }) => id))];
  }

  /** The driver's own latest value of each field of a stop. */
  latestValues(stop: number): StopValues {
    return latestOf(this.taps.filter((tap) => tap.stop === stop));
  }

  content(id: string): StopValues {
    return latestOf(this.taps.filter((tap) => tap.id === id));
  }

  /**
   * The phone was killed. A change that was not saved may be gone; the diary then drops it. A saved change must be
   * there.
   *
   * @param stored the values of each change on the phone's disk, by id
   * @returns what is wrong
   */
  afterKill(stored: ReadonlyMap<string, StopValues>): string[] {
    const retained: Tap[] = [];
    const wrong: string[] = [];
    for (const [i, tap] of this.taps.entries()) {
      if (tap.isLost) {
        retained.push(tap);
        continue;
      }
      const sameChange = this.taps.slice(i).filter(({ id }) => id === tap.id);
      const isThere = contains(stored.get(tap.id), tap.values, sameChange);
      if (isThere) retained.push({ ...tap, isSaved: true });
      else if (tap.isSaved) wrong.push(`${tap.id} was saved on the phone of ${tap.by}, and its disk does not hold it`);
    }
    this.taps = retained;
    return wrong;
  }

  /**
   * The phone's storage has another content: an earlier one, or a damaged one. A change that it lacks is lost on the
   * phone. The server must have it where a receipt showed that.
   *
   * @param stored the ids of the changes on the phone's disk
   */
  setTo(stored: ReadonlySet<string>): void {
    const all = [...this.taps, ...this.#strays].toSorted((a, b) => a.n - b.n);
    const isKept = ({ id }: Tap): boolean => stored.has(id) || this.acceptedAt.has(id);
    this.taps = all.filter(isKept).map((tap) => ({ ...tap, isLost: !stored.has(tap.id) }));
    this.#strays = all.filter((tap) => !isKept(tap)).map((tap) => ({ ...tap, isLost: true, isStray: true }));
  }

  /** The server has these changes. Those that the phone has lost unconfirmed count, too. */
  findStrays(received: ReadonlySet<string>): void {
    const found = this.#strays.filter(({ id }) => received.has(id));
    if (found.length === 0) return;
    this.taps = [...this.taps, ...found].toSorted((a, b) => a.n - b.n);
    this.#strays = this.#strays.filter(({ id }) => !received.has(id));
  }

  /** No receipt showed the change before it was lost on the phone: its place among the others is unknown. */
  isStray(id: string): boolean {
    return this.taps.some((tap) => tap.id === id && tap.isStray);
  }

  isOfNewerKind(id: string): boolean {
    return this.taps.some((tap) => tap.id === id && tap.stop === NEWER_KIND);
  }

  /** Whether a change has more than these values, also where the phone has lost it since. */
  hasGrown(id: string, values: StopValues): boolean {
    const taps = [...this.taps, ...this.#strays].filter((tap) => tap.id === id).toSorted((a, b) => a.n - b.n);
    return taps.length > 0 && !isDeepStrictEqual(values, latestOf(taps));
  }

  has(id: string): boolean {
    return this.taps.some((tap) => tap.id === id);
  }
}

/** The fields of `StopValues`. */
export const fields = [
  'status',
  'arrived',
  'driver_comments',
  'store_emp_name',
  'signature_id',
  'delivered',
  'returned',
  'exceptions',
  'skip_refuse_reason_code',
  'skip_refuse_driver_comment',
  'end_delivery_time',
  'skip_refuse_timestamp',
  'report',
] as const;

/**
 * Whether a stored change contains a deed: each field has its value, or the value of a later deed of the same change.
 */
function contains(stored: StopValues | undefined, values: StopValues, sameChange: readonly Tap[]): boolean {
  if (!stored) return false;
  const given = fields.filter((field) => values[field] !== undefined);
  return given.every((field) => sameChange.some((tap) => tap.values[field] === stored[field]));
}

/** Several deeds in a row: the later value counts. */
export function latestOf(taps: readonly Pick<Tap, 'values'>[]): StopValues {
  const latest: StopValues = {};
  for (const { values } of taps) Object.assign(latest, values);
  return latest;
}
