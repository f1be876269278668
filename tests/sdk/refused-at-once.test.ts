import { InvalidChange } from '@tailgate/client-sdk';
import { assigned, sampleKey } from '@tailgate/client-sdk/testing';
import type { StopObjectInput } from '@tailgate/sync-protocol';
import { routeScope } from '@tailgate/sync-protocol';
import { describe, expect, test } from 'vitest';
import { startScriptedServer } from '../support/scripted-server.ts';
import { Device, until } from '../support/sdk-device.ts';

/** The paths in the error for a change; undefined if the client records it. */
function refusedAt(record: () => unknown): string[] | undefined {
  try {
    record();
    return undefined;
  } catch (error) {
    if (error instanceof InvalidChange) return error.details.map(({ path }) => path);
    throw error;
  }
}

/** A change in the form that an app in plain JavaScript may pass. */
const misspelt = (stop: object): StopObjectInput => ({ id: 1, ...stop });
const otherKey = { ...sampleKey, id: 'R999' };

describe('the client refuses an invalid change at once', () => {
  test('members that no change has, with their path', async () => {
    const server = await startScriptedServer();
    const client = await new Device(server.url).startSignedIn();
    await until(client.route(), (route) => route !== undefined);
    const line = { id: 'ITEM1', invoice: 'INV1' };
    const refused = (stop: object) => refusedAt(() => client.updateStop(sampleKey, misspelt(stop)));
    expect(refused({ updates: { stauts: 'D' } })).toEqual(['updates.stauts']);
    expect(refused({ stauts: 'D', udpates: {} })).toEqual(['stauts', 'udpates']);
    expect(refused({ products: [line, { ...line, updates: { deliverd: 1 } }] })).toEqual([
      'products.1.updates.deliverd',
    ]);
    expect(refused({ products: [{ ...line, action: { open_action: { any: 'thing' } } }] })).toBeUndefined();
    expect(refused({ updates: { status: null, followup: undefined } })).toBeUndefined();
    const fields: object = { reason: '101' };
    expect(refusedAt(() => client.skipStop(sampleKey, 1, fields))).toEqual(['reason']);
    expect(() => client.updateStop(sampleKey, misspelt({ updates: { stauts: 'D' } }))).toThrow('updates.stauts');
  });

  test('a stop of the route only once the office has added it', async () => {
    const server = await startScriptedServer();
    const { ledger } = server;
    const added = ledger.documents.get('plan/3');
    if (!added) throw new Error('the sample route has no stop 3');
    for (const key of ['plan/3', 'result/3']) ledger.documents.delete(key);
    const client = await new Device(server.url).startSignedIn();
    await until(client.route(), (route) => route !== undefined);
    const update = () => client.updateStop(sampleKey, { id: 3, updates: { driver_comments: 'a late order' } });
    expect(refusedAt(update)).toEqual(['id']);
    ledger.version++;
    ledger.documents.set('plan/3', { ...added, version: ledger.version });
    server.publish();
    await until(client.stop(3), (stop) => stop !== undefined);
    expect(refusedAt(update)).toBeUndefined();
  });

  test('stops and routes that are missing on this device', async () => {
    const server = await startScriptedServer();
    const client = await new Device(server.url).startSignedIn();
    await until(client.route(), (route) => route !== undefined);
    expect(refusedAt(() => client.updateStop(sampleKey, { id: 77 }))).toEqual(['id']);
    expect(refusedAt(() => client.skipStop(sampleKey, 77, {}))).toEqual(['stop_id']);
    expect(refusedAt(() => client.updateStop(otherKey, { id: 1 }))).toEqual(['route']);
  });

  test('an edit that sets a recorded stop back to pending', async () => {
    const server = await startScriptedServer({ stops: [1, 999] });
    const client = await new Device(server.url).startSignedIn();
    await until(client.route(), (route) => route !== undefined);
    const status = (id: number, is: 'P' | 'D' | 'S' | 'C') => () =>
      client.updateStop(sampleKey, { id, updates: { status: is } });
    expect(refusedAt(status(1, 'P'))).toBeUndefined();
    status(1, 'D')();
    expect(refusedAt(status(1, 'P'))).toEqual(['updates.status']);
    expect(refusedAt(status(1, 'S'))).toBeUndefined();
    server.edit({ id: 999, updates: { status: 'C' } }, Date.now());
    await until(client.stop(999), (stop) => stop?.updates.status === 'D' || stop?.updates.status === 'C');
  });

  test("a route that the device follows only for another driver's pending changes, also after a restart", async () => {
    const server = await startScriptedServer();
    const device = new Device(server.url);
    const client = await device.startSignedIn('1001');
    await until(client.route(), (route) => route !== undefined);
    // Accepted and not yet hosted: the device still follows the route.
    await client.updateStop(sampleKey, { id: 1, updates: { driver_comments: 'of 1001' } }).accepted;
    await client.signOut();
    server.routes = [assigned(otherKey)];
    await client.signIn({ employeeId: '1002', password: 'secret-of-driver' });
    await until(client.routes, ([route]) => route?.scope === routeScope(otherKey));
    server.amend({ id: 2, updates: { driver_comments: 'news of the route' } }, Date.now());
    await until(client.stop(2, sampleKey), (stop) => stop?.updates.driver_comments === 'news of the route');
    expect(refusedAt(() => client.updateStop(sampleKey, { id: 2 }))).toEqual(['route']);
    await device.kill();
    const next = await device.start();
    expect(next.stop(2, sampleKey).current).toBeDefined();
    expect(refusedAt(() => next.updateStop(sampleKey, { id: 2 }))).toEqual(['route']);
  });
});

describe('the client records a change that only the server can judge', () => {
  test('before the first answer of the server', async () => {
    const server = await startScriptedServer();
    const device = new Device(server.url);
    const client = await device.start();
    server.refuse = true;
    await client.signIn({ employeeId: '1001', password: 'secret-of-driver' });
    expect(refusedAt(() => client.updateStop(otherKey, { id: 77 }))).toBeUndefined();
  });

  test('of a stop that this device once had', async () => {
    const server = await startScriptedServer({ stops: [1, 2] });
    const device = new Device(server.url);
    const client = await device.startSignedIn();
    await until(client.route(), (route) => route !== undefined);
    server.ledger.withdraw(2);
    server.publish();
    await until(client.route(), (route) => route?.stops.length === 1);
    expect(refusedAt(() => client.updateStop(sampleKey, { id: 2, updates: { status: 'D' } }))).toBeUndefined();
    // The route is another driver's now. The device stops following it, and retains its documents of the stop.
    server.routes = [];
    server.broadcast({ type: 'routes', routes: [] });
    await until(client.routes, (routes) => routes.length === 0);
    await device.kill();
    const next = await device.start();
    await until(next.status, ({ connection }) => connection === 'online');
    expect(refusedAt(() => next.updateStop(sampleKey, { id: 2, updates: { status: 'S' } }))).toBeUndefined();
    expect(refusedAt(() => next.updateStop(sampleKey, { id: 77 }))).toEqual(['id']);
  });

  test('not of a route that belongs only to another driver of this phone', async () => {
    const server = await startScriptedServer();
    const device = new Device(server.url);
    const client = await device.startSignedIn('1001');
    await until(client.route(), (route) => route !== undefined);
    await client.signOut();
    // A component subscribes to the route before the server names it.
    expect(client.route(otherKey).current).toBeUndefined();
    server.routes = [assigned(otherKey)];
    await client.signIn({ employeeId: '1002', password: 'secret-of-driver' });
    await until(client.routes, ([route]) => route?.scope === routeScope(otherKey));
    expect(refusedAt(() => client.updateStop(sampleKey, { id: 1 }))).toEqual(['route']);
    // Its documents are not here yet.
    expect(refusedAt(() => client.updateStop(otherKey, { id: 77 }))).toBeUndefined();
  });

  test('of a stop of a route that was on this device before it was the driver’s', async () => {
    const server = await startScriptedServer();
    const device = new Device(server.url);
    const client = await device.startSignedIn('1001');
    await until(client.route(), (route) => route !== undefined);
    await client.updateStop(sampleKey, { id: 1, updates: { driver_comments: 'of 1001' } }).accepted;
    await client.signOut();
    server.routes = [];
    await client.signIn({ employeeId: '1002', password: 'secret-of-driver' });
    await until(client.driver, (driver) => driver?.routesKnown === true);
    // The office assigns the route to the driver and takes it away again. Meanwhile none of its documents changes.
    server.broadcast({ type: 'routes', routes: [assigned()] });
    await until(client.routes, (routes) => routes.length === 1);
    server.broadcast({ type: 'routes', routes: [] });
    await until(client.routes, (routes) => routes.length === 0);
    expect(refusedAt(() => client.updateStop(sampleKey, { id: 2, updates: { status: 'D' } }))).toBeUndefined();
  });
});
