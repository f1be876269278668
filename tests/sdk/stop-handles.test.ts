import type { RemoteEdit } from '@tailgate/client-sdk';
import { InvalidChange, routeState } from '@tailgate/client-sdk';
import { sampleKey } from '@tailgate/client-sdk/testing';
import { stopPlan } from '@tailgate/sync-protocol';
import { expect, test } from 'vitest';
import { startScriptedServer } from '../support/scripted-server.ts';
import { Device, until } from '../support/sdk-device.ts';

async function onRoute() {
  const server = await startScriptedServer();
  const client = await new Device(server.url).startSignedIn();
  await until(client.route(), (route) => route !== undefined);
  return { server, client };
}

test('a stop handle delivers lines by their keys', async () => {
  const { server, client } = await onRoute();
  const stop = client.stop(1);
  const [first, second, third] = stop.current?.products ?? [];
  expect(first?.key).toBe('ITEM1\tINV1\t0');
  const receipt = stop.deliver({
    asPlanned: true,
    store_emp_name: 'Ana',
    products: [{ key: second?.key ?? '', delivered: 7, osd_data: [{ osd_code: '10', data: [{ quantity: 3 }] }] }],
  });
  await receipt.accepted;
  const { current } = stop;
  expect(current?.updates).toMatchObject({ status: 'D', store_emp_name: 'Ana' });
  expect(current?.products.map(({ updates }) => updates.delivered)).toEqual([10, 7, 10]);
  expect(current?.products[1]?.key).toBe(second?.key);
  expect(third?.updates.delivered).toBe(0);
  expect(server.ledger.taken[0]?.id).toBe(receipt.id);
  expect(() => stop.deliver({ products: [{ key: 'no such line', delivered: 1 }] })).toThrow('products.0.key');
});

test('a count of the second of two equal lines leaves the first unchanged', async () => {
  const server = await startScriptedServer();
  const planned = server.ledger.documents.get('plan/1');
  const plan = stopPlan.parse(planned?.value);
  const [line] = plan.products;
  if (!planned || !line) throw new Error('the sample route has no stop 1');
  server.ledger.documents.set('plan/1', { ...planned, value: { ...plan, products: [line, line, line] } });
  const client = await new Device(server.url).startSignedIn();
  const stop = client.stop(1);
  const shown = await until(stop, (value) => value !== undefined);
  expect(shown?.products.map(({ key }) => key.slice(-1))).toEqual(['0', '1', '2']);
  await stop.deliver({ products: [{ key: shown?.products[1]?.key ?? '', delivered: 4 }] }).accepted;
  expect(stop.current?.products.map(({ updates }) => updates.delivered)).toEqual([0, 4, 0]);
});

test('a stop handle records arrivals, skips and refusals, and fails without a route', async () => {
  const { client } = await onRoute();
  client.stop(1).arrive();
  expect(client.stop(1).current?.arrived).toBe(true);
  client.stop(2).skip({ skip_refuse_driver_comment: 'closed' });
  expect(client.stop(2).current?.updates).toMatchObject({ status: 'S', skip_refuse_driver_comment: 'closed' });
  client.stop(3, sampleKey).refuse();
  expect(client.stop(3).current?.updates.status).toBe('R');
  client.stop(3).update({ updates: { driver_comments: 'dock 4' } });
  expect(client.stop(3).current?.updates.driver_comments).toBe('dock 4');

  const empty = await new Device((await startScriptedServer()).url).start();
  expect(() => empty.stop(1).deliver()).toThrow(InvalidChange);
});

test('a stop lists the receipts of its changes, the oldest first, also after a restart', async () => {
  const server = await startScriptedServer();
  const device = new Device(server.url);
  const client = await device.startSignedIn();
  await until(client.route(), (route) => route !== undefined);
  const first = client.stop(1).arrive();
  await first.accepted;
  const second = client.stop(1).deliver();
  await second.accepted;
  expect(client.stop(1).current?.receipts).toEqual([first.id, second.id]);
  expect(client.stop(2).current?.receipts).toEqual([]);
  server.host();
  await second.onHost;
  await device.kill();
  const next = await device.start();
  expect(next.stop(1).current?.receipts).toEqual([first.id, second.id]);
  expect(next.receipt(second.id)?.current.at).toBe('on_host');
});

test('the state distinguishes a loading route from a missing one', async () => {
  const server = await startScriptedServer();
  const device = new Device(server.url);
  const client = await device.start();
  const state = routeState(client);
  expect(state.current).toBe('signed_out');
  server.refuse = true;
  await client.signIn({ employeeId: '1001', password: 'secret-of-driver' });
  expect(state.current).toBe('loading');
  server.refuse = false;
  await until(state, (is) => is === 'here');
  expect(routeState(client, { ...sampleKey, id: 'R999' }).current).toBe('none');
  await device.kill();
  server.routes = [];
  const next = await device.start();
  expect(await until(routeState(next), (is) => is === 'none')).toBe('none');
});

test('the client reports a change of another phone with both values, but no own change and none of the office', async () => {
  const { server, client } = await onRoute();
  const events: RemoteEdit[] = [];
  client.on('edit', (event) => events.push(event));
  await client.stop(2).deliver().accepted;
  server.amend({ id: 2, updates: { driver_comments: 'of the office' } }, Date.now());
  server.edit({ id: 1, updates: { status: 'D', driver_comments: 'left at the dock' } }, Date.now(), '1002');
  await until(client.stop(1), (stop) => stop?.updates.status === 'D');
  expect(events.map(({ edits, ...about }) => ({ ...about, edits: edits.map(({ at: _, ...edit }) => edit) }))).toEqual([
    {
      route: 'route:F01:R100:20261128',
      stop: 1,
      edits: [
        { path: 'status', before: 'P', after: 'D', by: '1002' },
        { path: 'updates.driver_comments', before: undefined, after: 'left at the dock', by: '1002' },
      ],
    },
  ]);
});

test('a line that is named twice is refused, and nothing is recorded', async () => {
  const server = await startScriptedServer();
  const client = await new Device(server.url).startSignedIn();
  const stop = client.stop(1, sampleKey);
  const { products } = (await until(stop, (shown) => shown !== undefined)) ?? {};
  const { key = '' } = products?.[0] ?? {};
  expect(() =>
    stop.deliver({
      products: [
        { key, delivered: 1 },
        { key, osd_data: [] },
      ],
    }),
  ).toThrow('products must name each line once');
  expect(client.status.current.pending).toEqual({});
});

test('"as planned" without the plan on this device is refused, and nothing is recorded', async () => {
  const server = await startScriptedServer();
  server.refuse = true;
  const client = await new Device(server.url).startSignedIn();
  const stop = client.stop(1, sampleKey);
  expect(() => stop.deliver({ asPlanned: true })).toThrow(InvalidChange);
  expect(() => stop.deliver({ asPlanned: true })).toThrow('asPlanned');
  expect(client.status.current.pending).toEqual({});
  // Without "as planned" the delivery needs no plan and is sent.
  expect(stop.deliver().current.at).toBe('recorded');
});
