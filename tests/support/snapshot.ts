import { patchFrame } from '@tailgate/sync-protocol';
import type { Snapshot } from '@tailgate/sync-protocol';
import * as z from 'zod/mini';
import type { Signed } from './rest-client.ts';
import type { SyncNode } from './sync-node.ts';

const snapshot = z.omit(patchFrame, { type: true, from: true });

/** Requests a whole scope, as first contact does. */
export function askSnapshot(
  node: Pick<SyncNode, 'client'>,
  who: Signed | undefined,
  scope: string,
  headers: Record<string, string> = {},
): Promise<Response> {
  const query = new URLSearchParams({ scope });
  return fetch(`${node.client.url}/api/sync/snapshot?${query}`, { headers: { ...who, ...headers } });
}

export async function readSnapshot(
  node: Pick<SyncNode, 'client'>,
  who: Signed | undefined,
  scope: string,
): Promise<Snapshot> {
  const response = await askSnapshot(node, who, scope);
  return snapshot.parse(await response.json());
}
