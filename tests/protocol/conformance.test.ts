import type { Mutation, Snapshot } from '@tailgate/sync-protocol';
import {
  addToChecksum,
  clientScope,
  closeCodes,
  currentProtocol,
  pullAnswer,
  pushAnswer,
  snapshotBody,
} from '@tailgate/sync-protocol';
import { sampleKey, sampleScope } from '@tailgate/client-sdk/testing';
import { beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { insertRoutes, plan } from '../support/mirror.ts';
import { signIn, signUp } from '../support/people.ts';
import { Phone } from '../support/phone.ts';
import { startScriptedServer } from '../support/scripted-server.ts';
import { TestQueue } from '../support/sealing.ts';
import { startSyncNode } from '../support/sync-node.ts';

// The promises of docs/protocol.md to a client, tested against both servers of the protocol: the real one and the
// scripted one of the SDK. An app that works with one works with the other.

interface Credentials {
  readonly employee_id: string;
  readonly api_token: string;
}
interface Subject {
  readonly socketUrl: string;
  credentials(employee: string): Promise<Credentials>;
}

async function realServer(): Promise<Subject> {
  const node = await startSyncNode();
  const { facility, id, week_end: weekEnd } = sampleKey;
  await insertRoutes(node.database.pool, [
    { facility, id, weekEnd, drivers: ['1001', '1002'], stops: [plan(1), plan(2), plan(3)] },
  ]);
  for (const employee of ['1001', '1002']) await signUp(node.client, employee);
  return {
    socketUrl: node.socketUrl,
    credentials: (employee) => signIn(node.client, employee, { confirm_login: true }),
  };
}

async function scriptedServer(): Promise<Subject> {
  const server = await startScriptedServer();
  return {
    socketUrl: `${server.url.replace('http', 'ws')}/api/sync`,
    credentials: async (employee_id) => {
      server.tokens.set(`token of ${employee_id}`, employee_id);
      return { employee_id, api_token: `token of ${employee_id}` };
    },
  };
}

const errorBody = z.object({ error: z.object({ code: z.string() }) });

const comment = (stop: number, text: string) => ({
  route: sampleKey,
  stop: { id: stop, updates: { driver_comments: text } },
});

describe.each([
  ['the real server', realServer],
  ['the scripted server', scriptedServer],
])('%s keeps the protocol', (_name, start) => {
  let subject: Subject;
  beforeAll(async () => {
    subject = await start();
  });

  /** A phone with a fresh queue, after its welcome. */
  async function welcomed(employee = '1001', hello: object = {}) {
    const queue = new TestQueue();
    const phone = await Phone.connect(subject.socketUrl, queue.clientId);
    const as = await subject.credentials(employee);
    const welcome = await phone.signOn(as, { wants_queue_key: true, ...hello });
    return { phone, queue, as, welcome };
  }
  const answers = async (phone: Phone, ...items: Mutation[]) => {
    phone.push(...items);
    return phone.next('ack');
  };

  /**
   * A phone that follows the route, and the route's first state: from a patch, or over HTTP where the server asks for
   * that.
   */
  async function follower(): Promise<{ readonly phone: Phone; readonly whole: Snapshot }> {
    const { phone, as } = await welcomed('1001', { cursors: { [sampleScope]: null } });
    const first = await phone.either('patch', 'snapshot');
    expect(first.scope).toBe(sampleScope);
    expect(first.type === 'patch' ? first.from : null).toBeNull();
    if (first.type === 'patch') return { phone, whole: first };
    const url = `${subject.socketUrl.replace('ws', 'http')}/snapshot?scope=${encodeURIComponent(sampleScope)}`;
    const response = await fetch(url, { headers: { ...as } });
    const whole = snapshotBody.parse(await response.json());
    phone.send({ type: 'subscribe', cursors: { [sampleScope]: { epoch: whole.epoch, version: whole.to } } });
    return { phone, whole };
  }

  test('a welcome contains the watermark, the limits, a key of the queue and the driver’s routes', async () => {
    const { welcome } = await welcomed();
    expect(welcome).toMatchObject({ protocol: currentProtocol, last_seq: 0 });
    expect(welcome.queue_key).toBeTypeOf('string');
    expect(welcome.routes).toContainEqual({ ...sampleKey, scope: sampleScope, status: 'O' });
    expect(welcome.limits.frame_bytes).toBeGreaterThanOrEqual(1_048_576);
  });

  test('the server rejects an invalid token and closes the socket', async () => {
    const phone = await Phone.connect(subject.socketUrl);
    phone.hello({ employee_id: '1001', api_token: 'no token' });
    expect(await phone.next('reject')).toMatchObject({ code: 'INVALID_TOKEN' });
    expect(await phone.untilClosed()).toMatchObject({ code: closeCodes.rejected });
  });

  test('a followed route arrives whole, and its checksum matches its documents', async () => {
    const { whole } = await follower();
    expect(whole.docs.map(({ key }) => key)).toEqual(expect.arrayContaining(['route', 'plan/1', 'plan/2', 'plan/3']));
    expect(whole.docs.reduce((sum, { key, version }) => addToChecksum(sum, key, version), 0)).toBe(whole.checksum);
  });

  test('the server applies a change, acknowledges it with its version and sends it to all followers of the route', async () => {
    const { phone: other, whole } = await follower();
    const { phone, queue } = await welcomed();
    const item = queue.seal('stop.update', comment(1, 'seen by both'));
    const ack = await answers(phone, item);
    expect(ack).toMatchObject({ last_seq: 1, results: [{ seq: 1, id: item.id, result: 'applied' }] });
    const news = await other.next('patch', (patch) => patch.scope === sampleScope && patch.to > whole.to);
    expect(news.to).toBeGreaterThanOrEqual(ack.results[0]?.version ?? Infinity);
    expect(news.docs.map(({ key }) => key)).toContain('result/1');
  });

  test('an item that the server already has is a duplicate, at the version that contains it', async () => {
    const { phone, queue } = await welcomed();
    const item = queue.seal('stop.update', comment(2, 'the answer was lost'));
    const [first] = (await answers(phone, item)).results;
    const again = await answers(phone, item);
    expect(again).toMatchObject({ last_seq: 1, results: [{ id: item.id, result: 'duplicate' }] });
    expect(again.results[0]?.version).toBe(first?.version);
  });

  test('the server accepts a load condition report without a version, the first time and again', async () => {
    const { phone, queue } = await welcomed();
    const report = {
      ...{ reportId: `report of ${queue.clientId}`, loadId: 'L1', stopId: '1', driverId: '1001' },
      ...{ capturedAt: '2026-11-20T10:00:00.000Z', sections: [{ key: 'stacking', rating: 2 }] },
    };
    const item = queue.seal('report.load_condition', { report });
    for (const result of ['applied', 'duplicate']) {
      const { results } = await answers(phone, item);
      expect(results).toMatchObject([{ id: item.id, result }]);
      expect(results[0]).not.toHaveProperty('version');
    }
  });

  test('after a gap the server names the sequence it expects and accepts nothing', async () => {
    const { phone, queue } = await welcomed();
    const [first, second] = [queue.seal('stop.update', comment(1, 'a')), queue.seal('stop.update', comment(1, 'b'))];
    expect(await answers(phone, second)).toMatchObject({ last_seq: 0, wants: 1, results: [] });
    expect(await answers(phone, first, second)).toMatchObject({ last_seq: 2 });
  });

  test('another item at a used sequence is a fork', async () => {
    const { phone, queue } = await welcomed();
    const item = queue.seal('stop.update', comment(3, 'the original'));
    await answers(phone, item);
    const clone = { ...item, id: new TestQueue().seal('stop.update', {}).id };
    expect(await answers(phone, clone)).toMatchObject({ last_seq: 1, fork: 1, results: [] });
  });

  test('the server quarantines the same id with another content', async () => {
    const { phone, queue } = await welcomed();
    const item = queue.seal('stop.update', comment(3, 'first'));
    await answers(phone, item);
    const ack = await answers(phone, { ...item, args: comment(3, 'second') });
    expect(ack.results).toMatchObject([{ id: item.id, result: 'quarantined' }]);
  });

  test('a queue belongs to one employee', async () => {
    const { phone, queue } = await welcomed();
    await answers(phone, queue.seal('stop.update', comment(1, 'mine')));
    phone.terminate();
    const impostor = await Phone.connect(subject.socketUrl, queue.clientId);
    impostor.hello(await subject.credentials('1002'));
    expect(await impostor.next('reject')).toMatchObject({ code: 'CLIENT_OF_OTHER_EMPLOYEE' });
  });

  test('a queue’s key may push and sees no route', async () => {
    const { phone, queue, welcome } = await welcomed();
    await answers(phone, queue.seal('stop.update', comment(1, 'with a token')));
    phone.terminate();
    const later = await Phone.connect(subject.socketUrl, queue.clientId);
    const again = await later.signOn({ employee_id: '1001', queue_key: welcome.queue_key ?? '' });
    expect(again).toMatchObject({ last_seq: 1, routes: [] });
    expect(await answers(later, queue.seal('stop.update', comment(1, 'with a key')))).toMatchObject({ last_seq: 2 });
  });

  test('a device declares its lost items, and the next push continues after them', async () => {
    const { phone, queue } = await welcomed();
    for (const text of ['lost', 'lost, too']) queue.seal('stop.update', comment(2, text));
    phone.send({ type: 'gone', from: 1, to: 2, reason: 'storage was cleared' });
    phone.push(queue.seal('stop.update', comment(2, 'kept')));
    const ack = await phone.next('ack', ({ results }) => results.length > 0);
    expect(ack).toMatchObject({ last_seq: 3, results: [{ seq: 3, result: 'applied' }] });
  });

  test('a scope of another driver is gone; the scope of the own queue is not', async () => {
    const { phone, queue } = await welcomed();
    phone.send({
      type: 'subscribe',
      cursors: { 'route:F09:ELSE:20261128': null, [clientScope(queue.clientId)]: null },
    });
    expect(await phone.next('gone')).toMatchObject({ scope: 'route:F09:ELSE:20261128' });
    expect(await phone.next('patch')).toMatchObject({ scope: clientScope(queue.clientId) });
  });

  test('the server answers a ping', async () => {
    const { phone } = await welcomed();
    phone.send({ type: 'ping' });
    expect(await phone.next('pong')).toMatchObject({ type: 'pong' });
  });

  test('the server answers a ping before any hello, to show that sockets work again', async () => {
    const phone = await Phone.connect(subject.socketUrl);
    phone.send({ type: 'ping' });
    expect(await phone.next('pong')).toMatchObject({ type: 'pong' });
  });

  describe('over plain HTTP', () => {
    const url = (path: string): string => subject.socketUrl.replace('ws', 'http') + path;
    const push = (as: object, clientId: string, mutations: readonly Mutation[], rest: object = {}): Promise<Response> =>
      fetch(url('/push'), {
        method: 'POST',
        headers: { ...as, 'content-type': 'application/json' },
        body: JSON.stringify({ client_id: clientId, mutations, ...rest }),
      });
    const pull = (as: object, clientId: string, cursors: object): Promise<Response> =>
      fetch(url(`/pull?client_id=${clientId}&cursors=${encodeURIComponent(JSON.stringify(cursors))}`), {
        headers: { ...as },
      });
    const pushed = async (...what: Parameters<typeof push>) => pushAnswer.parse(await (await push(...what)).json());
    const pulled = async (...what: Parameters<typeof pull>) => pullAnswer.parse(await (await pull(...what)).json());
    const refused = async (asked: Promise<Response>) => {
      const response = await asked;
      const { error } = errorBody.parse(await response.json());
      return [response.status, error.code];
    };

    /** A fresh queue after its hello, with its driver's credentials and its key. */
    async function connected(employee = '1001') {
      const queue = new TestQueue();
      const as = await subject.credentials(employee);
      const greeting = await pushed(as, queue.clientId, [], { wants_queue_key: true });
      expect(greeting).toMatchObject({ protocol: currentProtocol, last_seq: 0, results: [] });
      return { queue, as, keyed: { employee_id: employee, queue_key: greeting.queue_key ?? '' } };
    }

    test('the server applies a change, and the next poll returns it; both answers have the same epoch', async () => {
      const { queue, as } = await connected();
      const before = await pulled(as, queue.clientId, { [sampleScope]: null });
      expect(before.routes).toContainEqual({ ...sampleKey, scope: sampleScope, status: 'O' });
      const [first] = before.frames;
      if (!first || first.type === 'gone') throw new Error('the answer lacks the route');
      const cursor = { epoch: first.epoch, version: first.type === 'patch' ? first.to : first.version };
      const item = queue.seal('stop.update', comment(2, 'without a socket'), new Date());
      const answer = await pushed(as, queue.clientId, [item]);
      expect(answer).toMatchObject({ last_seq: 1, results: [{ seq: 1, id: item.id, result: 'applied' }] });
      const after = await pulled(as, queue.clientId, { [sampleScope]: cursor });
      expect(JSON.stringify(after.frames)).toContain('without a socket');
      expect(answer.epoch).toBe(after.epoch);
      expect(await pushed(as, queue.clientId, [item])).toMatchObject({ results: [{ result: 'duplicate' }] });
    });

    test('the server reports a gap, a fork and a declared loss as on a socket', async () => {
      const { queue, as } = await connected();
      const [lost, next] = [queue.seal('stop.update', comment(1, 'a')), queue.seal('stop.update', comment(1, 'b'))];
      expect(await pushed(as, queue.clientId, [next])).toMatchObject({ last_seq: 0, wants: 1, results: [] });
      const gone = { from: 1, to: 1, reason: 'storage was cleared' };
      expect(await pushed(as, queue.clientId, [next], { gone })).toMatchObject({ last_seq: 2 });
      expect(await pushed(as, queue.clientId, [lost])).toMatchObject({ last_seq: 2, fork: 1 });
    });

    test('a queue’s key may push and sees no route', async () => {
      const { queue, keyed } = await connected();
      const answer = await pushed(keyed, queue.clientId, [queue.seal('stop.update', comment(1, 'with a key'))]);
      expect(answer).toMatchObject({ last_seq: 1, results: [{ result: 'applied' }] });
      const { routes, frames } = await pulled(keyed, queue.clientId, {
        [sampleScope]: null,
        [clientScope(queue.clientId)]: null,
      });
      expect(routes).toEqual([]);
      expect(frames.map(({ type, scope }) => [scope, type])).toEqual(
        expect.arrayContaining([
          [sampleScope, 'gone'],
          [clientScope(queue.clientId), 'patch'],
        ]),
      );
    });

    test('a refusal names its reason', async () => {
      const { queue } = await connected();
      const impostor = await subject.credentials('1002');
      const nobody = { employee_id: '1001', api_token: 'no token' };
      expect(await refused(push(nobody, queue.clientId, []))).toEqual([401, 'INVALID_TOKEN']);
      expect(await refused(pull(nobody, queue.clientId, {}))).toEqual([401, 'INVALID_TOKEN']);
      expect(await refused(push(impostor, queue.clientId, []))).toEqual([403, 'CLIENT_OF_OTHER_EMPLOYEE']);
      expect(await refused(push(impostor, 'no uuid', []))).toEqual([400, 'VALIDATION_FAILED']);
    });
  });
});
