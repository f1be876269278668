import type { StopRows } from '../../stops/host-stop.ts';
import type { Ccsid } from '../../host/files/ccsid.ts';
import { isHostText } from '../../host/files/fit.ts';
import { HostError } from '../../host/host.ts';

/** The rows of a stop that the host can store, and the lines with a key that it cannot. */
export interface FittingRows {
  readonly rows: StopRows;
  readonly unstorable: readonly string[];
}

/**
 * Leaves out lines whose key has a character that the host lacks. The key is never changed: two lines must not become
 * one, and a driver of Db2 may substitute the character without an error. Texts fit already (`hostText`).
 */
export function withStorableKeys(rows: StopRows, ccsid: Ccsid): FittingRows {
  const unstorable = new Set<string>();
  const fits = (item: string, invoice: string): boolean => {
    if (isHostText(item, ccsid) && isHostText(invoice, ccsid)) return true;
    unstorable.add(`item ${item} of invoice ${invoice}`);
    return false;
  };
  const fitting = {
    ...rows,
    RTPRUP: rows.RTPRUP.filter(({ RQITM, RQINV }) => fits(RQITM, RQINV)),
    RTOSDP: rows.RTOSDP.filter(({ OSITM, OSINV }) => fits(OSITM, OSINV)),
    RTIMGP: rows.RTIMGP.filter(({ RIITM, RIINV }) => fits(RIITM, RIINV)),
  };
  return { rows: unstorable.size > 0 ? fitting : rows, unstorable: [...unstorable] };
}

/** Refuses a row with such a key before the host is asked. @throws HostError that names column and key */
export function checkKeys(keys: readonly (readonly [column: string, key: string])[], ccsid: Ccsid): void {
  for (const [column, key] of keys)
    if (!isHostText(key, ccsid)) throw new HostError('22021', `${column} ${key} ${lacks}`);
}

const lacks = 'has a character that the host lacks';

/** The reason for parking a stop of which only these lines are missing on the host. */
export const reasonFor = (unstorable: readonly string[]): string =>
  `${unstorable.join(', ')}: the key ${lacks}; everything else of the stop is on the host`;
