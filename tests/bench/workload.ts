import { createHash, randomUUID } from 'node:crypto';
import { canonicalJson, contentText, linkText } from '@tailgate/sync-protocol';
import type { RouteKey } from '@tailgate/sync-protocol';

export const WEEK = '20261121';

/** The stop object that is measured: about 1 kB, six of twenty lines touched, one exception, non-ASCII text. */
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
        ...(n === 0 ? { osd_data: [{ osd_id: 'ab12cd', osd_code: 10, data: [{ comment: `damaged ${turn}`, quantity: 1, barcodes: '0084512345678', images_id: '' }] }] } : {}),
      },
    })),
  };
}

/** Sealed items of one queue, as canonical texts: what a phone holds in storage and only has to send. */
export function sealedQueue(route: RouteKey, count: number, stops: number, firstTurn = 0): string[] {
  const bootId = randomUUID();
  const items: string[] = [];
  let prevHash: string | null = null;
  for (let i = 0; i < count; i++) {
    const item = {
      id: mutationId(),
      seq: i + 1,
      name: 'stop.update',
      version: 1,
      args: { route, stop: measuredStop((i % stops) + 1, firstTurn + i) },
      captured_at: new Date(Date.now() - (count - i) * 1000).toISOString(),
      boot_id: bootId,
      monotonic_ms: 1000 * i,
      prev_hash: prevHash,
    };
    items.push(canonicalJson(item));
    prevHash = base64Sha(linkText(base64Sha(contentText(item)), prevHash, item.seq));
  }
  return items;
}

const base64Sha = (text: string): string => createHash('sha256').update(text).digest('base64url');

/** A UUID of version 7: time first, so that an index grows at its end. */
export function mutationId(now = Date.now()): string {
  const time = now.toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`;
}

export const benchRoute = (n: number): RouteKey => ({ facility: 'F01', id: `B${n}`, week_end: WEEK });
