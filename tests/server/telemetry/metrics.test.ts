import { expect, test } from 'vitest';
import { loadConfig } from '../../../server/src/config.ts';
import { buildMetrics } from '../../../server/src/http/endpoints/metrics.ts';
import { openLogger } from '../../../server/src/runtime/logger.ts';
import { BATCH_SIZE } from '../../../server/src/mutations/intake/pipeline.ts';
import { openTelemetry } from '../../../server/src/telemetry/open.ts';
import { atFileEnd } from '../../support/file-end.ts';
import { readText } from '../../house/source-file.ts';
import { recordedLog } from '../../support/recorded-log.ts';

const opsToken = 'operators-only-4711';
const log = recordedLog();
const node = { version: '1.2.3', role: 'worker' } as const;
const telemetry = await openTelemetry({ node, otelEndpoint: undefined, traceShare: 1, log });
atFileEnd(() => telemetry.stop());
const { figures } = telemetry;
figures.followMirror({ db: { query: () => Promise.reject(new Error('PostgreSQL is away')) }, log });
figures.followHost(() => undefined);
const silent = openLogger('silent', { write: () => undefined });
const server = buildMetrics({ read: figures.read, opsToken, access: 'local' }, silent);
atFileEnd(() => server.close());

function look(remoteAddress: string, headers: Record<string, string> = {}) {
  return server.inject({ url: '/metrics', remoteAddress, headers });
}

const bearer = { authorization: `Bearer ${opsToken}` };

test.each([
  ['this machine', '127.0.0.1', {}, 200],
  ['this machine, by IPv6', '::1', {}, 200],
  ['this machine, on a socket for both', '::ffff:127.0.0.1', {}, 200],
  ['this machine’s proxy, for somebody', '127.0.0.1', { 'x-forwarded-for': '198.51.100.7' }, 401],
  ['this machine’s proxy, for somebody it does not name', '127.0.0.1', { via: '1.1 proxy' }, 401],
  ['this machine’s proxy, which names the scheme alone', '127.0.0.1', { 'x-forwarded-proto': 'https' }, 401],
  ['this machine’s proxy, which names the port alone', '127.0.0.1', { 'x-forwarded-port': '443' }, 401],
  ['this machine’s proxy, by a header of its vendor', '127.0.0.1', { 'cf-connecting-ip': '198.51.100.7' }, 401],
  ['this machine’s proxy, by an empty header', '127.0.0.1', { 'x-forwarded-for': '' }, 401],
  ['this machine’s proxy, for somebody with the token', '127.0.0.1', { ...bearer, 'x-forwarded-proto': 'https' }, 200],
  ['elsewhere', '198.51.100.7', {}, 401],
  ['elsewhere, with the token', '198.51.100.7', bearer, 200],
  ['elsewhere, with another token', '198.51.100.7', { authorization: 'Bearer guessed' }, 401],
  ['elsewhere, claiming to be here', '198.51.100.7', { 'x-forwarded-for': '127.0.0.1' }, 401],
])('figures are read from %s', async (_, address, headers, status) => {
  const answer = await look(address, headers);
  const type = status === 200 ? 'text/plain; version=0.0.4' : 'application/json';
  expect([answer.statusCode, answer.headers['content-type']]).toEqual([status, `${type}; charset=utf-8`]);
  expect(answer.body).toMatch(status === 200 ? /^# HELP tailgate_/ : /^\{"success":false,.*"request_id":/);
});

test.each([
  'forwarded',
  'via',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-server',
  'x-forwarded-prefix',
  'x-forwarded-client-cert',
  'x-real-ip',
  'x-client-ip',
  'client-ip',
  'true-client-ip',
  'x-cluster-client-ip',
  'x-original-forwarded-for',
  'x-original-host',
  'x-envoy-external-address',
  'fastly-client-ip',
  'fly-client-ip',
  'cf-ray',
  'cdn-loop',
  'x-amzn-trace-id',
  'x-amz-cf-id',
  'x-azure-clientip',
  'x-arr-log-id',
  'x-proxyuser-ip',
])('%s shows a proxy', async (name) => {
  expect((await look('127.0.0.1', { [name]: 'x' })).statusCode).toBe(401);
});

test('each header that our own proxy adds shows a proxy', async () => {
  const added = [...readText('server/deploy/nginx.conf').matchAll(/proxy_set_header (X-[\w-]+)/g)].map(
    ([, name]) => name,
  );
  expect(added).toContain('X-Forwarded-Proto');
  for (const name of added) expect.soft((await look('127.0.0.1', { [String(name)]: 'x' })).statusCode, name).toBe(401);
});

test('METRICS_ACCESS=token asks this machine for the token as well', async () => {
  const { metricsAccess } = loadConfig({ METRICS_ACCESS: 'token' }, []);
  const strict = buildMetrics({ read: figures.read, opsToken, access: metricsAccess }, silent);
  const statusOf = async (headers: Record<string, string>) =>
    (await strict.inject({ url: '/metrics', remoteAddress: '127.0.0.1', headers })).statusCode;
  expect([await statusOf({}), await statusOf(bearer)]).toEqual([401, 200]);
  await strict.close();
});

test('an unknown figure is omitted; its reason is not exported as a value', async () => {
  const { body } = await look('127.0.0.1');
  expect(body).toContain('tailgate_database_up 0\n');
  expect(body).toContain('# HELP tailgate_host_lag_seconds ');
  expect(body).not.toMatch(/^tailgate_host_lag_seconds /m);
  expect(body).not.toMatch(/^tailgate_worker_alive /m);
  // A host that has not been reached since the start.
  expect(body).toContain('tailgate_host_breaker_open 1\n');
});

test('full batches are distinguished from half full ones', async () => {
  const { body } = await look('127.0.0.1');
  for (const size of [BATCH_SIZE / 2, BATCH_SIZE])
    expect.soft(body).toContain(`tailgate_batch_changes_bucket{le="${size}"} `);
});

test('errors are counted by class, in answers and not in throws', async () => {
  const { changes, host } = telemetry;
  changes.failed(128);
  host.statement('passing', 2_500);
  host.statement('done', 3);
  figures.deliveries.mail('given_up');
  figures.deliveries.fileArrived(300_000);
  const { body } = await look('127.0.0.1');
  for (const line of [
    'tailgate_changes_unanswered_total 128',
    'tailgate_host_statements_total{outcome="passing"} 1',
    'tailgate_host_statements_total{outcome="poison"} 0',
    'tailgate_host_statement_seconds_bucket{le="2"} 1',
    'tailgate_mails_total{outcome="given_up"} 1',
    'tailgate_asset_bytes_total 300000',
    'tailgate_build_info{version="1.2.3",role="worker"} 1',
  ])
    expect.soft(body).toContain(`${line}\n`);
});
