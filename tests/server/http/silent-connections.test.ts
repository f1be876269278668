import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { buildMetrics } from '../../../server/src/http/endpoints/metrics.ts';
import { openLogger } from '../../../server/src/runtime/logger.ts';
import { reservePort } from '../../support/reserved-port.ts';

test('a stopping server does not wait for a connection without a request', async () => {
  const read = () => Promise.resolve({ type: 'text/plain', text: '' });
  const app = buildMetrics(
    { read, opsToken: 'operators-only', access: 'local' },
    openLogger('silent', { write: () => undefined }),
  );
  const port = await reservePort();
  await app.listen({ port, host: '127.0.0.1' });
  const accepted = once(app.server, 'connection');
  const silent = connect(port, '127.0.0.1');
  const ended = once(silent, 'close');
  silent.on('error', () => undefined); // A reset is possible, too.
  await accepted;
  await app.close();
  await ended;
  expect(app.server.listening).toBe(false);
});
