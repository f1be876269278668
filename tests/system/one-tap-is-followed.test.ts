import type { RouteKey } from '@tailgate/sync-protocol';
import { operations } from '@tailgate/sync-protocol';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { signUp } from '../support/people.ts';
import { startTraceCollector } from '../support/trace-collector.ts';
import { allOnHost, openSignedUp } from './device.ts';
import { demoRoute, openService, opsToken } from './service.ts';

const collector = await startTraceCollector();
const service = await openService({ env: { LOG_LEVEL: 'debug', OTEL_EXPORTER_OTLP_ENDPOINT: collector.url } });
const phone = await openSignedUp(service.server.port, '1001');
const words = 'Left with the night porter';

const line = z.looseObject({
  msg: z.string(),
  mutation: z.string().optional(),
  mutations: z.array(z.string()).default([]),
});

/** Lines of the log that name this change. */
function linesOf(mutation: string) {
  return service.server.output
    .split('\n')
    .filter((text) => text.startsWith('{') && text.endsWith('}'))
    .map((text) => line.parse(JSON.parse(text)))
    .filter((one) => one.mutation === mutation || one.mutations.includes(mutation));
}

const traceOf = (mutation: string) => collector.spans.filter(({ traceId }) => traceId === mutation.replaceAll('-', ''));

async function tap(route: RouteKey, stop: number): Promise<string> {
  const { id } = phone.app.updateStop(route, { id: stop, updates: { status: 'D', driver_comments: words } });
  await allOnHost(phone.app, [id]);
  return id;
}

/** Figures without labels, and sums of those with. */
async function figures(): Promise<Map<string, number>> {
  const sums = new Map<string, number>();
  const text = await (await fetch(`${service.server.url}/metrics`)).text();
  for (const [, name = '', value] of text.matchAll(/^(\w+)(?:\{.*\})? (\S+)$/gm))
    sums.set(name, (sums.get(name) ?? 0) + Number(value));
  return sums;
}

test('figures change with the events', async () => {
  const before = await figures();
  const rise = async (name: string) => ((await figures()).get(name) ?? Number.NaN) - (before.get(name) ?? 0);
  const ids = [await tap(demoRoute('R100'), 3), await tap(demoRoute('R100'), 4)];
  expect(await rise('tailgate_mutations_total')).toBe(ids.length);
  for (const name of ['tailgate_ack_seconds_count', 'tailgate_batch_changes_sum', 'tailgate_host_change_seconds_count'])
    expect.soft(await rise(name), name).toBe(ids.length);
  // A write, its line in PODRPLP and their commits, at least.
  expect(await rise('tailgate_host_statements_total')).toBeGreaterThanOrEqual(4 * ids.length);
  await expect.poll(() => rise('tailgate_mails_total')).toBe(ids.length);
  const now = await figures();
  const standing = {
    sockets_open: 1,
    database_up: 1,
    worker_alive: 1,
    host_lag_seconds: 0,
    host_breaker_open: 0,
    parked: 0,
  };
  for (const [name, value] of Object.entries(standing)) expect.soft(now.get(`tailgate_${name}`), name).toBe(value);
});

test('the log contains one id from the tap to the host’s row and its line in PODRPLP', async () => {
  const id = await tap(demoRoute('R100'), 1);
  const [row] = await service.show('RTSTUP', "RURTE = 'R100' and RUSTP = 1");
  await expect.poll(() => linesOf(id).map(({ msg }) => msg)).toContain('the host has this stop');
  const lineOf = (msg: string) => linesOf(id).find((one) => one.msg === msg);
  const [taken, hosted] = [lineOf('a change was taken in'), lineOf('the host has this stop')];
  const stop = { route: `route:F01:R100:${demoRoute('R100').week_end}`, stop: 1 };
  expect(taken).toMatchObject({ ...stop, source: 'sync', employee: '1001', result: 'applied', name: 'stop.update' });
  expect(hosted).toMatchObject({ ...stop, version: taken?.['version'], trace: row?.['RUTRC'] });
  const noted = await service.show('PODRPLP', `RLTRC = '${String(row?.['RUTRC'])}'`);
  expect(noted).toMatchObject([{ RLSTS: 'A', RLKEY: `F01 R100 ${demoRoute('R100').week_end} 1` }]);
  expect(service.server.output).not.toContain(words);
});

test('the change’s trace has its id: arrival, commit, and the write to the host', async () => {
  const id = await tap(demoRoute('R100'), 2);
  await expect
    .poll(() =>
      traceOf(id)
        .map(({ name }) => name)
        .toSorted(),
    )
    .toEqual(['change stop.update', 'commit', 'replicate stop']);
  const spans = new Map(traceOf(id).map((span) => [span.name, span]));
  const root = spans.get('change stop.update');
  expect(root).toMatchObject({
    attributes: {
      'tailgate.mutation': id,
      'tailgate.source': 'sync',
      'tailgate.result': 'applied',
      'tailgate.stop': 2,
    },
    resource: { 'service.name': 'tailgate', 'tailgate.role': 'all' },
  });
  expect(root?.parentSpanId ?? '').toBe('');
  const [row] = await service.show('RTSTUP', "RURTE = 'R100' and RUSTP = 2");
  expect(spans.get('replicate stop')).toMatchObject({
    parentSpanId: root?.spanId,
    attributes: { 'tailgate.outcome': 'on_host', 'tailgate.host_trace': row?.['RUTRC'] },
  });
  expect(spans.get('commit')).toMatchObject({
    parentSpanId: root?.spanId,
    attributes: { 'tailgate.batch_changes': 1 },
  });
  for (const { startTimeUnixNano, endTimeUnixNano } of traceOf(id)) {
    expect(endTimeUnixNano).toBeGreaterThanOrEqual(startTimeUnixNano);
    expect(Math.abs(Number(endTimeUnixNano / 1_000_000n) - Date.now())).toBeLessThan(3_600_000);
  }
  const exported = JSON.stringify(collector.spans, (_, one: unknown) => (typeof one === 'bigint' ? `${one}` : one));
  for (const secret of [words, opsToken]) expect(exported).not.toContain(secret);
});

test('a request is in its caller’s trace, and its change links to it', async () => {
  const { server, rest } = service;
  const [caller, parent] = ['0af7651916cd43dd8448eb211c80319c', 'b7ad6b7169203331'];
  const { week_end } = demoRoute('R200');
  const reply = await rest.call(operations.syncStops, {
    as: await signUp(rest, '1003'),
    headers: { traceparent: `00-${caller}-${parent}-01` },
    body: { id: 'R200', facility: 'F01', week_end, stops: [{ id: 1, updates: { status: 'D' } }] },
  });
  expect(reply.status).toBe(200);
  const requestId = reply.headers.get('x-request-id');
  const spanOf = (name: string) =>
    collector.spans.find((span) => span.name.startsWith(name) && span.attributes['tailgate.request_id'] === requestId);
  await expect
    .poll(() => [spanOf('PUT ')?.traceId, spanOf('change ')?.attributes['tailgate.source']])
    .toEqual([caller, 'rest']);
  const request = spanOf('PUT ');
  expect(request).toMatchObject({
    parentSpanId: parent,
    attributes: { 'http.request.method': 'PUT', 'http.route': '/api/route/stop', 'http.response.status_code': 200 },
  });
  expect(spanOf('change ')?.links).toEqual([{ traceId: caller, spanId: request?.spanId }]);
  expect(server.output).toContain(`"reqId":"${requestId}"`);
});
