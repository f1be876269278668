import { OperatorSessions } from '../../server/src/auth/operators/sessions.ts';
import { rescuerOf } from '../../server/src/wire/access.ts';
import { readableHeaders } from '../../server/src/http/server/browser-rules.ts';
import type { SyncLimits } from '../../server/src/sync/limits.ts';
import type { Hub } from '../../server/src/sync/hub.ts';
import { mountSync } from '../../server/src/sync/socket.ts';
import { mountUploads } from '../../server/src/sync/plain-http/uploads.ts';
import type { RestServer, RestServerOptions } from './rest-server.ts';
import { opsToken, startRestServer } from './rest-server.ts';

export interface SyncNode extends RestServer {
  readonly hub: Hub;
  /** The address for phones. */
  readonly socketUrl: string;
}

/** A node with both edges: REST and the sync channel, over one pipeline. It ends with the file. */
export async function startSyncNode(
  options: RestServerOptions & { limits?: Partial<SyncLimits> } = {},
): Promise<SyncNode> {
  const limits = { sweep_ms: 20, ...options.limits };
  const mounted: Hub[] = [];
  const server = await startRestServer({
    ...options,
    mount: async (app, deps) => {
      const operators = new OperatorSessions({
        db: deps.db,
        now: deps.clock,
        limits: { idleMinutes: 30, sessionHours: 12 },
      });
      const hub = await mountSync(app, { ...deps, limits, rescuerOf: rescuerOf({ operators, opsToken }) });
      mounted.push(hub);
      await mountUploads(app, { ...deps, epoch: hub.serverEpoch, readableHeaders });
    },
  });
  const [hub] = mounted;
  if (!hub) throw new Error('the sync channel was not mounted');
  return { ...server, hub, socketUrl: `${server.client.url.replace('http', 'ws')}/api/sync` };
}
