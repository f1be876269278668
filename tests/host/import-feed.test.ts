import { routeScope } from '@tailgate/sync-protocol';
import { describe, expect, test } from 'vitest';
import { signUp } from '../support/people.ts';
import { Phone } from '../support/phone.ts';
import { Replica } from '../support/replica.ts';
import { readSnapshot } from '../support/snapshot.ts';
import { startSyncNode } from '../support/sync-node.ts';
import { importDeps, routeFile, routeKey } from './import-fixture.ts';

// The node polls so seldom that all changes here come by notifications.
const deps = await importDeps();
const { imports } = deps.openImport();
await imports.importNow();
const node = await startSyncNode({ database: deps.database, limits: { sweep_ms: 60_000 } });
const anna = await signUp(node.client, '1001');
const carol = await signUp(node.client, '1003');

const dispatched = async (id: string, options?: Parameters<typeof routeFile>[1]) => {
  await deps.dispatch(routeFile(id, options));
  await imports.importNow();
};

async function signOn(who: typeof anna, cursors = {}): Promise<Phone> {
  const phone = await Phone.connect(node.socketUrl);
  await phone.signOn(who, { cursors });
  return phone;
}

describe('what the host changes, on a phone that is signed on', () => {
  test('a new route reaches its drivers', async () => {
    const phone = await signOn(anna);
    await dispatched('R1');
    expect((await phone.next('routes')).routes.map(({ id }) => id)).toEqual(['R1']);
  });

  test('a changed plan arrives as a patch, drivers come and go', async () => {
    await dispatched('R2', { stops: 2 });
    const scope = routeScope(routeKey('R2'));
    const replica = new Replica();
    replica.take(await readSnapshot(node, anna, scope));
    const [phone, newcomer] = [await signOn(anna, { [scope]: replica.cursor }), await signOn(carol)];
    replica.take(await phone.next('patch'));

    await dispatched('R2', { stops: 3, drivers: ['1001', '1003'] });
    const patch = await phone.next('patch');
    expect(patch.docs.map(({ key }) => key).toSorted()).toEqual(['plan/3', 'plan/999', 'result/3', 'route']);
    replica.take(patch);
    expect((await newcomer.next('routes')).routes.map(({ id }) => id)).toEqual(['R2']);

    await dispatched('R2', { stops: 3, drivers: ['1003'] });
    expect((await phone.next('gone')).scope).toBe(scope);
    expect((await phone.next('routes')).routes.map(({ id }) => id)).not.toContain('R2');
  });
});
