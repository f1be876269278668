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

/** A tap. Taps that the SDK merged into one change share its id. */
export interface Tap {
  readonly id: string;
  readonly by: string;
  readonly stop: number;
  readonly values: StopValues;
  /** In the time of the world, which no phone knows. */
  readonly at: number;
  /** The app has reported that the change is on the disk. From then on it must not get lost. */
  isSaved: boolean;
}

/** The actions of one driver, in order, as the driver (not the phone) recorded them. */
export class DriverHistory {
  taps: Tap[] = [];
  /** When the phone first reported that the server has a change, by its id; in the time of the world. */
  readonly acceptedAt = new Map<string, number>();

  /** Ids of the changes, in the order in which the driver began them. */
  get ids(): string[] {
    return [...new Set(this.taps.map(({ id }) => id))];
  }

  isReport(id: string): boolean {
    return this.taps.some((tap) => tap.id === id && tap.stop === REPORT);
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
      const sameChange = this.taps.slice(i).filter(({ id }) => id === tap.id);
      const isThere = contains(stored.get(tap.id), tap.values, sameChange);
      if (isThere) retained.push({ ...tap, isSaved: true });
      else if (tap.isSaved) wrong.push(`${tap.id} was saved on the phone of ${tap.by}, and its disk does not hold it`);
    }
    this.taps = retained;
    return wrong;
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
