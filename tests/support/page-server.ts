import { join } from 'node:path';
import fastify from 'fastify';
import { BuiltFolder } from '../../server/src/http/pages/built-folder.ts';
import { mountPages } from '../../server/src/http/pages/mount-pages.ts';
import { atFileEnd } from './file-end.ts';
import { recordedLog } from './recorded-log.ts';

/** Serves a built driver app as the server does, without any API. It ends with the test file. Returns its address. */
export async function servePages(folder: string): Promise<string> {
  const app = fastify({ forceCloseConnections: true, routerOptions: { ignoreTrailingSlash: true } });
  const log = recordedLog();
  const none = new BuiltFolder(join(folder, 'none'), log);
  mountPages(app, { app: new BuiltFolder(folder, log), office: none, evidence: none });
  await app.listen({ host: '127.0.0.1', port: 0 });
  atFileEnd(() => app.close());
  const address = app.server.address();
  if (address === null || typeof address === 'string') throw new Error('the app has no port');
  return `http://127.0.0.1:${address.port}`;
}
