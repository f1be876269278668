import { canonicalJson } from '@tailgate/sync-protocol';
import type { RouteKey } from '@tailgate/sync-protocol';
import { TestQueue } from '../support/sealing.ts';

export const WEEK = '20261121';

/** The measured stop object: about 1 kB, six of twenty lines touched, one exception, non-ASCII text. */
export function measuredStop(stop: number, turn: number) {
  return {
    id: stop,
    updates: {
      status: 'D',
      start_delivery_time: '2026-11-20T15:00:00.000Z',
      end_delivery_time: `2026-11-20T15:${String(turn % 60).padStart(2, '0')}:00.000Z`,
      delivery_latitude: '41.878113',
      delivery_longitude: '-87.629798',
      store_emp_id: 'E77',
      store_emp_name: 'José Núñez',
      driver_comments: `Laderampe blockiert, Kühlware zuerst, bitte hinten anliefern; Tor ${turn} war zu, Rückgabe folgt morgen früh`,
    },
    products: Array.from({ length: 6 }, (_, n) => ({
      id: `ITM${100_000 + n * 7919}`,
      invoice: `INV${stop}`,
      updates: {
        delivered: (turn + n) % 3,
        accounting_complete: true,
        ...(n === 0
          ? {
              osd_data: [
                {
                  osd_id: 'ab12cd',
                  osd_code: 10,
                  data: [{ comment: `damaged ${turn}`, quantity: 1, barcodes: '0084512345678', images_id: '' }],
                },
              ],
            }
          : {}),
      },
    })),
  };
}

/**
 * Sealed items of one queue, as canonical texts, as a phone stores and sends them.
 *
 * @param first time of the first edit; without it an hour ago
 */
export function sealedQueue(
  route: RouteKey,
  count: number,
  stops: number,
  first = new Date(Date.now() - 3_600_000),
): string[] {
  const queue = new TestQueue();
  return Array.from({ length: count }, (_, i) => {
    const at = new Date(first.getTime() + i * 1_000);
    return canonicalJson(queue.seal('stop.update', { route, stop: measuredStop((i % stops) + 1, i) }, at));
  });
}

export const benchRoute = (n: number): RouteKey => ({ facility: 'F01', id: `B${n}`, week_end: WEEK });
