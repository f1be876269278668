import type { StopRows } from '../../stops/host-stop.ts';
import { isHostText } from '../../host/files/fit.ts';
import { HostError } from '../../host/host.ts';

/** Rows of a stop that the host can hold, and in words the lines whose key it cannot. */
export interface FittingRows {
  readonly rows: StopRows;
  readonly unheld: readonly string[];
}

/**
 * Leaves out the lines whose key has a character that code page 37 lacks. A key is never respelled: two lines must not
 * become one, and a driver of Db2 may put a substitute in its place without an error. Texts fit already (`hostText`).
 */
export function withHeldKeys(rows: StopRows): FittingRows {
  const unheld = new Set<string>();
  const fits = (item: string, invoice: string): boolean => {
    if (isHostText(item) && isHostText(invoice)) return true;
    unheld.add(`item ${item} of invoice ${invoice}`);
    return false;
  };
  const fitting = {
    ...rows,
    RTPRUP: rows.RTPRUP.filter(({ RQITM, RQINV }) => fits(RQITM, RQINV)),
    RTOSDP: rows.RTOSDP.filter(({ OSITM, OSINV }) => fits(OSITM, OSINV)),
    RTIMGP: rows.RTIMGP.filter(({ RIITM, RIINV }) => fits(RIITM, RIINV)),
  };
  return { rows: unheld.size > 0 ? fitting : rows, unheld: [...unheld] };
}

/** Refuses a row with such a key before the host is asked. @throws HostError which names column and key */
export function checkKeys(keys: readonly (readonly [column: string, key: string])[]): void {
  for (const [column, key] of keys) if (!isHostText(key)) throw new HostError('22021', `${column} ${key} ${lacks}`);
}

const lacks = 'has a character that code page 37 lacks';

/** Why a stop is parked of which only these lines are not on the host. */
export const reasonFor = (unheld: readonly string[]): string =>
  `${unheld.join(', ')}: the key ${lacks}; everything else of the stop is on the host`;
