import { InvalidChange } from '@tailgate/client-sdk';
import { assigned, sampleKey } from '@tailgate/client-sdk/testing';
import type { StopObjectInput } from '@tailgate/sync-protocol';
import { routeScope } from '@tailgate/sync-protocol';
import { describe, expect, test } from 'vitest';
import { startScriptedServer } from '../support/scripted-server.ts';
import { Device, until } from '../support/sdk-device.ts';

/** The paths that a change is refused with; undefined where it is recorded. */
function refusedAt(record: () => unknown): string[] | undefined {
  try {
    record();
    return undefined;
  } catch (error) {
    if (error instanceof InvalidChange) return error.details.map(({ path }) => path);
    throw error;
  }
}

/** As an app written in plain JavaScript may send it. */
const misspelt = (stop: object): StopObjectInput => ({ id: 1, ...stop });
const otherKey = { ...sampleKey, id: 'R999' };

describe('a change that cannot be right is refused while its driver is looking', () => {
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

  test('stops and routes that this device knows not to be there', async () => {
    const server = await startScriptedServer();
    const client = await new Device(server.url).startSignedIn();
    await until(client.route(), (route) => route !== undefined);
    expect(refusedAt(() => client.updateStop(sampleKey, { id: 77 }))).toEqual(['id']);
    expect(refusedAt(() => client.skipStop(sampleKey, 77, {}))).toEqual(['stop_id']);
    expect(refusedAt(() => client.updateStop(otherKey, { id: 1 }))).toEqual(['route']);
  });

  test('a stop that was worked on does not become pending again', async () => {
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

  test('a route that the device follows only because another driver’s changes drain, also after a restart', async () => {
    const server = await startScriptedServer();
    const device = new Device(server.url);
    const client = await device.startSignedIn('1001');
    await until(client.route(), (route) => route !== undefined);
    // Accepted, and not yet on the host: the device goes on following the route.
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

describe('what only the server can know is recorded', () => {
  test('before the first word of the server', async () => {
    const server = await startScriptedServer();
    const device = new Device(server.url);
    const client = await device.start();
    server.refuse = true;
    await client.signIn({ employeeId: '1001', password: 'secret-of-driver' });
    expect(refusedAt(() => client.updateStop(otherKey, { id: 77 }))).toBeUndefined();
  });

  test('a stop that this device has held, whatever has become of it', async () => {
    const server = await startScriptedServer({ stops: [1, 2] });
    const device = new Device(server.url);
    const client = await device.startSignedIn();
    await until(client.route(), (route) => route !== undefined);
    server.ledger.withdraw(2);
    server.publish();
    await until(client.route(), (route) => route?.stops.length === 1);
    expect(refusedAt(() => client.updateStop(sampleKey, { id: 2, updates: { status: 'D' } }))).toBeUndefined();
    // The route is another's now: the device lets go of it, and not of what it knows.
    server.routes = [];
    server.broadcast({ type: 'routes', routes: [] });
    await until(client.routes, (routes) => routes.length === 0);
    await device.kill();
    const next = await device.start();
    await until(next.status, ({ connection }) => connection === 'online');
    expect(refusedAt(() => next.updateStop(sampleKey, { id: 2, updates: { status: 'S' } }))).toBeUndefined();
    expect(refusedAt(() => next.updateStop(sampleKey, { id: 77 }))).toEqual(['id']);
  });

  test('a route that another driver of this phone has is not theirs', async () => {
    const server = await startScriptedServer();
    const device = new Device(server.url);
    const client = await device.startSignedIn('1001');
    await until(client.route(), (route) => route !== undefined);
    await client.signOut();
    // A screen looks at it before the server names it.
    expect(client.route(otherKey).current).toBeUndefined();
    server.routes = [assigned(otherKey)];
    await client.signIn({ employeeId: '1002', password: 'secret-of-driver' });
    await until(client.routes, ([route]) => route?.scope === routeScope(otherKey));
    expect(refusedAt(() => client.updateStop(sampleKey, { id: 1 }))).toEqual(['route']);
    // Its documents are not here yet.
    expect(refusedAt(() => client.updateStop(otherKey, { id: 77 }))).toBeUndefined();
  });

  test('a stop of a route that came to this device before it was the driver’s', async () => {
    const server = await startScriptedServer();
    const device = new Device(server.url);
    const client = await device.startSignedIn('1001');
    await until(client.route(), (route) => route !== undefined);
    await client.updateStop(sampleKey, { id: 1, updates: { driver_comments: 'of 1001' } }).accepted;
    await client.signOut();
    server.routes = [];
    await client.signIn({ employeeId: '1002', password: 'secret-of-driver' });
    await until(client.driver, (driver) => driver?.routesKnown === true);
    // The office gives the route to them, and takes it away again. No document of it is another one meanwhile.
    server.broadcast({ type: 'routes', routes: [assigned()] });
    await until(client.routes, (routes) => routes.length === 1);
    server.broadcast({ type: 'routes', routes: [] });
    await until(client.routes, (routes) => routes.length === 0);
    expect(refusedAt(() => client.updateStop(sampleKey, { id: 2, updates: { status: 'D' } }))).toBeUndefined();
  });
});
