import { stopUpdateArgs } from '@tailgate/sync-protocol';

/** The values that a driver can record at a stop: enough for every kind of row on the host. */
export interface Said {
  readonly status?: 'D' | 'S';
  readonly driver_comments?: string;
  readonly store_emp_name?: string;
  /** Id of a file. */
  readonly signature_id?: string;
  /** Of the stop's only line. */
  readonly delivered?: number;
}

/** A tap. Taps that the SDK merged into one change share its id. */
export interface Deed {
  readonly id: string;
  readonly by: string;
  readonly stop: number;
  readonly said: Said;
  /** The app has reported that the change is on the disk. From then on it must not get lost. */
  isSaved: boolean;
}

/** The actions of one driver, in order, as the driver (not the phone) recorded them. */
export class Diary {
  deeds: Deed[] = [];

  /** Ids of the changes, in the order in which the driver began them. */
  get ids(): string[] {
    return [...new Set(this.deeds.map(({ id }) => id))];
  }

  /** The driver's own latest value of each field of a stop. */
  lastWord(stop: number): Said {
    return wordOf(this.deeds.filter((deed) => deed.stop === stop));
  }

  content(id: string): Said {
    return wordOf(this.deeds.filter((deed) => deed.id === id));
  }

  /**
   * The phone was killed. A change that was not saved may be gone; the diary then drops it. A saved change must be
   * there.
   *
   * @param stored the values of each change on the phone's disk, by id
   * @returns what is wrong
   */
  afterKill(stored: ReadonlyMap<string, Said>): string[] {
    const kept: Deed[] = [];
    const wrong: string[] = [];
    for (const [i, deed] of this.deeds.entries()) {
      const sameChange = this.deeds.slice(i).filter(({ id }) => id === deed.id);
      const isThere = contains(stored.get(deed.id), deed.said, sameChange);
      if (isThere) kept.push({ ...deed, isSaved: true });
      else if (deed.isSaved)
        wrong.push(`${deed.id} was saved on the phone of ${deed.by}, and its disk does not hold it`);
    }
    this.deeds = kept;
    return wrong;
  }
}

/** The fields of `Said`. */
export const fields = ['status', 'driver_comments', 'store_emp_name', 'signature_id', 'delivered'] as const;

/**
 * Whether a stored change contains a deed: each field has its value, or the value of a later deed of the same change.
 */
function contains(stored: Said | undefined, said: Said, sameChange: readonly Deed[]): boolean {
  if (!stored) return false;
  const spoken = fields.filter((field) => said[field] !== undefined);
  return spoken.every((field) => sameChange.some((deed) => deed.said[field] === stored[field]));
}

/** Several deeds in a row: the later value counts. */
export function wordOf(deeds: readonly Pick<Deed, 'said'>[]): Said {
  const word: Said = {};
  for (const { said } of deeds) Object.assign(word, said);
  return word;
}

/** The arguments of a `stop.update`, in this world's terms. */
export function saidIn(args: unknown): Said {
  const { stop } = stopUpdateArgs.parse(args);
  const { status, driver_comments, store_emp_name, signature_id } = stop.updates ?? {};
  const delivered = stop.products?.[0]?.updates?.delivered;
  return {
    ...(status === 'D' || status === 'S' ? { status } : {}),
    ...(typeof driver_comments === 'string' ? { driver_comments } : {}),
    ...(typeof store_emp_name === 'string' ? { store_emp_name } : {}),
    ...(typeof signature_id === 'string' ? { signature_id } : {}),
    ...(typeof delivered === 'number' ? { delivered } : {}),
  };
}
