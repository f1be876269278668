import { clientScope, pullAnswer, pushAnswer, type Mutation } from '@tailgate/sync-protocol';
import { operations } from '../../../server/src/http/operations.ts';
import { beforeAll, describe, expect, test } from 'vitest';
import { parseOpsCommand, runOpsCommand } from '../../../server/src/ops/commands/cli.ts';
import { insertRoutes, plan } from '../../support/mirror.ts';
import { insertEmployees, password, signIn, signUp } from '../../support/people.ts';
import { Phone } from '../../support/phone.ts';
import type { Signed } from '../../support/rest-client.ts';
import { opsToken } from '../../support/rest-server.ts';
import { mutationId, TestQueue } from '../../support/sealing.ts';
import type { SyncNode } from '../../support/sync-node.ts';
import { startSyncNode } from '../../support/sync-node.ts';
import { TusPhone } from '../../support/tus-phone.ts';

const drivers = Array.from({ length: 10 }, (_, n) => `${1_001 + n}`);
const headers = { authorization: `Bearer ${opsToken}` };
const why = { by: 'MILLER', reason: 'somebody else has signed up' };
const MINUTE = 60_000;

let node: SyncNode;
let began: number;
beforeAll(async () => {
  // The tests move the clock while sockets are open. The server does not count these jumps as silence.
  node = await startSyncNode({ access: 'strict', limits: { ping_ms: 60 * MINUTE } });
  began = node.clock.now.getTime();
  const one = { facility: 'F01', weekEnd: '20261121', stops: [plan(1)], emailFlag: true };
  // A route for each driver: no other driver's sign-in signs them out.
  const routes = drivers.map((driver) => ({ ...one, id: `R${driver}`, drivers: [driver] }));
  await insertRoutes(node.database.pool, routes);
});

type Shown = Signed | { readonly employee_id: string; readonly queue_key: string };

/** A phone of one driver. Its monotonic clock reads 0 where the tests begin. */
class Handset {
  readonly queue = new TestQueue();
  readonly employee: string;
  readonly route: { readonly facility: string; readonly id: string; readonly week_end: string };
  run = 'the first run';
  /** When its monotonic clock read 0. */
  runBegan = began;
  key = '';

  constructor(employee: string) {
    this.employee = employee;
    this.route = { facility: 'F01', id: `R${employee}`, week_end: '20261121' };
  }

  get byKey() {
    return { employee_id: this.employee, queue_key: this.key };
  }

  clock() {
    const now = node.clock.now.getTime();
    return { now: new Date(now).toISOString(), boot_id: this.run, monotonic_ms: now - this.runBegan };
  }

  /**
   * @param at by the monotonic clock; by default a second later than the last one
   * @param wall the same by the wall clock, which a user can set
   */
  delivery(comment: string, at = pass(1_000), { run = this.run, wall = at } = {}): Mutation {
    const updates = { status: 'D', driver_comments: comment };
    return this.queue.take({
      id: mutationId(),
      name: 'stop.update',
      version: 1,
      args: { route: this.route, stop: { id: 1, updates } },
      captured_at: new Date(wall).toISOString(),
      boot_id: run,
      monotonic_ms: at - this.runBegan,
    });
  }

  post(who: Shown, ...mutations: Mutation[]): Promise<Response> {
    return fetch(`${node.client.url}/api/sync/push`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...who },
      body: JSON.stringify({ client_id: this.queue.clientId, clock: this.clock(), mutations }),
    });
  }

  async push(who: Shown, ...mutations: Mutation[]) {
    const response = await this.post(who, ...mutations);
    // Only a 200 is such an answer.
    const answer = pushAnswer.parse(await response.json());
    this.key = answer.queue_key ?? this.key;
    return answer.results.map(({ result, code, warnings = [] }) => [result, code ?? warnings.map((each) => each.code)]);
  }
}

/** A phone whose driver has just signed up, and which has its queue's key. */
async function signedUp(employee: string): Promise<Handset & { as: Signed }> {
  const as = await signUp(node.client, employee);
  const handset = Object.assign(new Handset(employee), { as });
  await handset.push(as);
  return handset;
}

/** Advances every clock. @returns the time afterwards */
function pass(ms: number): number {
  node.clock.now = new Date(node.clock.now.getTime() + ms);
  return node.clock.now.getTime();
}
const minutesAgo = (minutes: number): number => node.clock.now.getTime() - minutes * MINUTE;
const unregister = (employee: string) =>
  node.client.take(operations.unregisterDriver, { headers, params: { employee }, body: why });

const mails = async (item: Mutation): Promise<number> => {
  const { rows } = await node.database.pool.query(
    `select from pgboss.job where name like '%mail%' and data::text like $1`,
    [`%${item.id}%`],
  );
  return rows.length;
};

const statusOf = async ({ route }: Handset): Promise<string | undefined> => {
  const { rows } = await node.database.pool.query<{ status: string }>(
    'select status from stop_result where route_id = $1',
    [route.id],
  );
  return rows[0]?.status;
};

const usual = ['applied', []];
const flagged = ['applied', ['after_sign_out']];
const kept = ['quarantined', 'CLIENT_REVOKED'];

describe('an unregistered driver', () => {
  test('changes no stop by a queue key, though the employee is signed in elsewhere; the office decides', async () => {
    const impostor = await signedUp('1001');
    const earlier = impostor.delivery('before');
    pass(MINUTE);
    await unregister('1001');
    const own = await signedUp('1001');
    pass(MINUTE);
    const [later, again] = [impostor.delivery('after'), impostor.delivery('once more')];
    expect(await impostor.push(impostor.byKey, earlier, later)).toEqual([kept, kept]);
    const phone = await Phone.connect(node.socketUrl, impostor.queue.clientId);
    expect(await phone.signOn(impostor.byKey)).toMatchObject({ last_seq: 2 });
    phone.push(again);
    expect((await phone.next('ack')).results).toMatchObject([{ result: 'quarantined', code: 'CLIENT_REVOKED' }]);
    expect(await statusOf(impostor)).toBe('P');
    expect(await mails(later)).toBe(0);
    const delivered = own.delivery('the driver');
    expect(await own.push(own.as, delivered)).toEqual([usual]);
    expect(await mails(delivered)).toBe(1);

    const waiting = await node.client.take(operations.listQuarantine, { headers });
    expect(new Map(waiting.map(({ id, route_id, stop_id }) => [id, [route_id, stop_id]]))).toEqual(
      new Map([earlier, later, again].map(({ id }) => [id, ['R1001', 1]])),
    );
    const params = { quarantine_id: waiting.find(({ id }) => id === earlier.id)?.quarantine_id ?? '' };
    const body = { by: 'MILLER', note: 'the driver says so' };
    await node.client.take(operations.releaseQuarantined, { headers, params, body });
    expect(await impostor.push(impostor.byKey, earlier)).toEqual([['duplicate', ['superseded']]]);
  });

  test('changes no stop by a socket that was open before, or by the operators’ command', async () => {
    const impostor = await signedUp('1002');
    const phone = await Phone.connect(node.socketUrl, impostor.queue.clientId);
    await phone.signOn(impostor.as);
    await runOpsCommand(parseOpsCommand(['unregister', '1002']), node.database.pool, {
      autocloseSeconds: 600,
      keyFile: '',
    });
    expect(await phone.next('session')).toMatchObject({ reason: 'unregistered' });
    phone.push(impostor.delivery('on the open socket'));
    expect((await phone.next('ack')).results).toMatchObject([{ result: 'quarantined', code: 'CLIENT_REVOKED' }]);
    expect(await statusOf(impostor)).toBe('P');
    const devices = await node.client.take(operations.listDevices, { headers, query: '?employee=1002' });
    expect(devices).toMatchObject([{ client_id: impostor.queue.clientId, held: true, quarantined: 1 }]);
  });

  test('still reads the results, and uploads the files of the queue', async () => {
    const impostor = await signedUp('1003');
    await unregister('1003');
    const item = impostor.delivery('with a photo');
    expect(await impostor.push(impostor.byKey, item)).toEqual([kept]);
    const { clientId } = impostor.queue;
    const cursors = JSON.stringify({ [clientScope(clientId)]: null });
    const query = new URLSearchParams({ client_id: clientId, cursors });
    const response = await fetch(`${node.client.url}/api/sync/pull?${query}`, { headers: impostor.byKey });
    expect(pullAnswer.parse(await response.json()).frames).toMatchObject([
      { type: 'patch', docs: [{ key: `quarantine/${item.id}`, value: { state: 'open', code: 'CLIENT_REVOKED' } }] },
    ]);
    const files = new TusPhone(node.client.url, { ...impostor.byKey, client_id: clientId });
    expect((await files.create(3, {})).status).toBe(201);
  });

  test('fills its own hourly quota of files, and the driver who signed up still sends theirs', async () => {
    const uploadLimits = { hourBytes: 100_000, quarantinedHourBytes: 20_000 };
    const tight = await startSyncNode({ access: 'strict', uploadLimits });
    await insertEmployees(tight.database.pool, ['1001']);
    const as = await signUp(tight.client, '1001');
    const queues: TusPhone[] = [];
    for (const clientId of [new TestQueue().clientId, new TestQueue().clientId]) {
      const response = await fetch(`${tight.client.url}/api/sync/push`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...as },
        body: JSON.stringify({ client_id: clientId, mutations: [] }),
      });
      const { queue_key } = pushAnswer.parse(await response.json());
      const shown = { employee_id: '1001', queue_key: queue_key ?? '', client_id: clientId };
      queues.push(new TusPhone(tight.client.url, shown));
    }
    await tight.client.take(operations.unregisterDriver, { headers, params: { employee: '1001' }, body: why });
    const driver = new TusPhone(tight.client.url, { ...(await signUp(tight.client, '1001')) });
    const answers: number[] = [];
    for (const queue of queues) for (let n = 0; n < 20; n++) answers.push((await queue.create(3)).status);
    expect(answers).toEqual([201, 201, 201, 201, ...Array<number>(36).fill(429)]);
    expect((await driver.create(3)).status).toBe(201);
  });

  test('works on after a new sign-up on the same phone; the older items go to the office', async () => {
    const handset = await signedUp('1004');
    const before = handset.delivery('of the earlier registration');
    const oldKey = handset.byKey;
    pass(MINUTE);
    await unregister('1004');
    pass(MINUTE);
    const as = await signUp(node.client, '1004');
    pass(MINUTE);
    expect(await handset.push(as, before, handset.delivery('anew'))).toEqual([kept, usual]);
    expect(handset.key).not.toBe(oldKey.queue_key);
    const impostor = await Phone.connect(node.socketUrl, handset.queue.clientId);
    impostor.hello(oldKey);
    expect(await impostor.next('reject')).toMatchObject({ code: 'INVALID_TOKEN' });
    expect(await handset.push(handset.byKey, handset.delivery('by the new key'))).toEqual([usual]);
  });

  test('gets the new key of the queue also where a push that would have replaced it is refused', async () => {
    const handset = await signedUp('1010');
    const oldKey = handset.byKey;
    await unregister('1010');
    const as = await signUp(node.client, '1010');
    const { pushes_in_flight } = node.hub.limits;
    // As many are in flight.
    Object.assign(node.hub.limits, { pushes_in_flight: 0 });
    expect((await handset.post(as)).status).toBe(429);
    Object.assign(node.hub.limits, { pushes_in_flight });
    pass(MINUTE);
    await handset.push(as);
    expect(handset.key).not.toBe(oldKey.queue_key);
    expect(await handset.push(handset.byKey, handset.delivery('by the new key'))).toEqual([usual]);
  });

  test('with a revoked phone uploads nothing more, except through an operator', async () => {
    const handset = await signedUp('1005');
    await unregister('1005');
    const params = { client_id: handset.queue.clientId };
    const body = { by: 'JONES', reason: 'stolen' };
    const revoked = await node.client.take(operations.revokeDevice, { headers, params, body });
    expect(revoked).toMatchObject({ held: false, revoked_by: 'machine:JONES' });
    const phone = await Phone.connect(node.socketUrl, handset.queue.clientId);
    phone.hello(handset.byKey);
    expect(await phone.next('reject')).toMatchObject({ code: 'CLIENT_REVOKED' });
    expect(await handset.push({ ...headers, ...handset.byKey }, handset.delivery('rescued'))).toEqual([usual]);
  });
});

describe('items that arrive by a queue key after the end of its session', () => {
  test('a sign-out on one phone and a sign-in on another: later items of the first are flagged', async () => {
    const first = await signedUp('1006');
    const before = first.delivery('at the door');
    pass(MINUTE);
    await node.client.take(operations.signOut, { as: first.as });
    pass(MINUTE);
    const second = Object.assign(new Handset('1006'), { as: await signIn(node.client, '1006') });
    const after = first.delivery('signed out');
    expect(await first.push(first.byKey, before, after)).toEqual([usual, flagged]);
    expect(await second.push(second.as, second.delivery('on the other phone'))).toEqual([usual]);
    // By the same key while its own session lasts.
    expect(await second.push(second.byKey, second.delivery('in the background'))).toEqual([usual]);
    // Signed in again there: the queue has a valid session.
    await first.push(await signIn(node.client, '1006'));
    expect(await first.push(first.byKey, first.delivery('back again'))).toEqual([usual]);
  });

  test('a new password: earlier items are applied as usual, later ones are flagged', async () => {
    const phone = await signedUp('1007');
    const before = phone.delivery('before');
    pass(MINUTE);
    const body = { employee_id: '1007', current_password: password, new_password: 'off the road' };
    const { api_token } = await node.client.take(operations.updatePassword, { body });
    pass(MINUTE);
    const after = phone.delivery('after');
    expect(await phone.push(phone.byKey, before, after)).toEqual([usual, flagged]);
    const elsewhere = new Handset('1007');
    expect(await elsewhere.push({ employee_id: '1007', api_token }, elsewhere.delivery('here'))).toEqual([usual]);
  });

  test('also on a socket that was opened with the key before', async () => {
    const handset = await signedUp('1008');
    const phone = await Phone.connect(node.socketUrl, handset.queue.clientId);
    await phone.signOn(handset.byKey, { clock: handset.clock() });
    phone.push(handset.delivery('before'));
    expect((await phone.next('ack')).results[0]).not.toHaveProperty('warnings');
    await node.client.take(operations.signOut, { as: handset.as });
    pass(MINUTE);
    phone.send({ type: 'ping', clock: handset.clock() });
    phone.push(handset.delivery('after'));
    expect((await phone.next('ack')).results).toMatchObject([{ warnings: [{ code: 'after_sign_out' }] }]);
  });

  test('the wall clock is no proof: only a clock run that this server has read is', async () => {
    const handset = await signedUp('1009');
    await node.hub.deviceStatus.save();
    pass(MINUTE);
    const inTheFirstRun = handset.delivery('before');
    pass(MINUTE);
    await node.client.take(operations.signOut, { as: handset.as });
    pass(MINUTE);
    const setBack = handset.delivery('set back', undefined, { wall: minutesAgo(2) });
    const unread = handset.delivery('in a run that no server has read', minutesAgo(2), { run: 'between' });
    handset.run = 'the last run';
    const overlapping = handset.delivery('in a run that began before the last reading', minutesAgo(1.8));
    const items = [inTheFirstRun, setBack, unread, overlapping];
    expect(await handset.push(handset.byKey, ...items)).toEqual([usual, flagged, flagged, flagged]);
    handset.run = 'a run that began after the last reading';
    handset.runBegan = minutesAgo(1.7);
    expect(await handset.push(handset.byKey, handset.delivery('measured', minutesAgo(1.5)))).toEqual([usual]);
    // The run that was read, with another start.
    handset.run = 'the first run';
    handset.runBegan = began;
    const withTrace = handset.delivery('after the sign-out', minutesAgo(0));
    handset.runBegan = began - 1.4 * MINUTE;
    expect(await handset.push(handset.byKey, withTrace)).toEqual([flagged]);
  });
});
