import { randomUUID } from 'node:crypto';
import type { Json, RouteKey } from '@tailgate/sync-protocol';
import type { Change } from '../../server/src/mutations/change.ts';

/** A stop object as PUT route/stop passes it on. */
export function restChange(
  key: RouteKey,
  stop: { id: number | string; [field: string]: unknown },
  employee: string,
  more: Partial<Change> = {},
): Change {
  const now = new Date();
  return {
    id: randomUUID(),
    name: 'stop.update',
    version: 1,
    args: readJson(JSON.stringify({ route: key, stop })),
    route: key,
    stop: Number(stop.id),
    actor: { kind: 'driver', employee },
    source: 'rest',
    paths: 'current',
    editTime: now,
    receivedAt: now,
    dedupeByContent: true,
    ...more,
  };
}

const readJson: (text: string) => Json = JSON.parse;
