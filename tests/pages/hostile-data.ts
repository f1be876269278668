import { randomUUID } from 'node:crypto';
import { currentProtocol } from '@tailgate/sync-protocol';
import type { Signed } from '../support/rest-client.ts';
import type { Service } from '../system/service.ts';

/** A name or a text that would run in a page that takes it for markup. Short enough for the host's columns. */
export const hostile = '<img src=x onerror=hack()>';

interface Phone {
  readonly device: string;
  readonly app?: string;
  readonly pending: number;
  readonly files?: { readonly count: number; readonly bytes: number };
}

/** A phone that reports work and sends none of it, over plain HTTP. */
export async function phoneOf(
  { server }: Service,
  as: Signed,
  { device, app = 'app 1.4', pending, files }: Phone,
): Promise<void> {
  const oldest_pending_at = new Date().toISOString();
  const body = {
    client_id: randomUUID(),
    protocol: currentProtocol,
    mutations: [],
    device,
    sdk: 'own',
    app,
    pending,
    ...(files && { files }),
  };
  const response = await fetch(`${server.url}/api/sync/push`, {
    method: 'POST',
    headers: { ...as, 'content-type': 'application/json' },
    body: JSON.stringify({ ...body, oldest_pending_at }),
  });
  if (!response.ok) throw new Error(`the push is refused: ${await response.text()}`);
}
