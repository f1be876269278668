import { describe, expect, it } from 'vitest';
import { TestQueue } from '../../support/sealing.ts';
import { addRoute, bindQueue, delivered, pipelineDeps, sessionOf, updateOf } from './fixture.ts';

const deps = await pipelineDeps();
const pipeline = deps.open();

describe('senders do not disturb each other', () => {
  it('admits all pushes that wait for room, also behind callers that push nothing', async () => {
    const key = await addRoute(deps, 'S1', ['1001']);
    const queue = new TestQueue();
    const session = await bindQueue(deps, queue, '1001');
    const pushed = pipeline.push(
      session,
      Array.from({ length: 600 }, (_, n) => updateOf(queue, key, delivered(1, `note ${n}`))),
    );
    const waiting = Array.from({ length: 200 }, () => pipeline.waitForCapacity());
    let entered = 0;
    for (const waitForCapacity of waiting) void waitForCapacity.then(() => entered++);
    expect((await pushed).results).toHaveLength(600);
    await expect.poll(() => entered).toBe(200);
  });

  it('lets pushes wait while long items wait, however few', async () => {
    const long = deps.open('legacy', { roomCharacters: 1_000 });
    const key = await addRoute(deps, 'S4', ['1001']);
    const queue = new TestQueue();
    const session = await bindQueue(deps, queue, '1001');
    await long.waitForCapacity();
    const pushed = long.push(session, [updateOf(queue, key, delivered(1, 'x'.repeat(1_000)))]);
    let entered = false;
    const waiting = long.waitForCapacity().then(() => (entered = true));
    await new Promise(setImmediate);
    expect(entered).toBe(false);
    expect((await pushed).results).toMatchObject([{ result: 'applied' }]);
    await waiting;
  });

  it('is busy from many waiting changes on until they have their answers, and not with a tap', async () => {
    const key = await addRoute(deps, 'S3', ['1001']);
    const queue = new TestQueue();
    const session = await bindQueue(deps, queue, '1001');
    const push = (count: number) =>
      pipeline.push(
        session,
        Array.from({ length: count }, (_, n) => updateOf(queue, key, delivered(1, `note ${n}`))),
      );
    const tap = push(1);
    expect(pipeline.isBusy).toBe(false);
    await pipeline.whenCalm();
    await tap;
    const storm = push(64);
    expect(pipeline.isBusy).toBe(true);
    let answered = false;
    void storm.then(() => (answered = true));
    await pipeline.whenCalm();
    await new Promise(setImmediate);
    expect([pipeline.isBusy, answered]).toEqual([false, true]);
  });

  it('refuses the push of an unknown queue, and takes concurrent pushes', async () => {
    const key = await addRoute(deps, 'S2', ['1001', '1002']);
    const [known, unknown] = [new TestQueue(), new TestQueue()];
    const session = await bindQueue(deps, known, '1001');
    const [taken, refused] = await Promise.allSettled([
      pipeline.push(session, [updateOf(known, key, delivered(1))]),
      pipeline.push(sessionOf(unknown, '1002'), [updateOf(unknown, key, delivered(2))]),
    ]);
    expect(taken).toMatchObject({ status: 'fulfilled', value: { results: [{ result: 'applied' }] } });
    expect(refused).toMatchObject({ status: 'rejected', reason: { name: 'UnknownQueue' } });
  });
});
