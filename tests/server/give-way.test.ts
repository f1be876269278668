import { expect, test } from 'vitest';
import { GiveWay } from '../../server/src/runtime/give-way.ts';

/** A pipeline that is busy or calm by command, and a clock that goes by command. */
function stage() {
  let now = 0;
  let timer: { at: number; work: () => void } | undefined;
  const calm: (() => void)[] = [];
  const pipeline = {
    isBusy: true,
    whenCalm: () => new Promise<void>((resolve) => calm.push(resolve)),
  };
  const giveWay = new GiveWay({
    pipeline,
    now: () => now,
    after: (ms, work) => {
      timer = { at: now + ms, work };
      return () => (timer = undefined);
    },
  });
  return {
    pipeline,
    /** Whether a route that asks now may begin at once. */
    mayBegin: async () => {
      let begun = false;
      void giveWay.turn().then(() => (begun = true));
      await new Promise(setImmediate);
      return begun;
    },
    turn: () => giveWay.turn(),
    becomeCalm: () => {
      pipeline.isBusy = false;
      for (const resolve of calm.splice(0)) resolve();
    },
    pass: (ms: number) => {
      now += ms;
      if (timer && timer.at <= now) timer.work();
    },
    get hasTimer() {
      return timer !== undefined;
    },
  };
}

test('a route begins at once while few changes wait', async () => {
  const worker = stage();
  worker.pipeline.isBusy = false;
  expect(await worker.mayBegin()).toBe(true);
});

test('routes wait until the changes have their answers', async () => {
  const worker = stage();
  const [first, second] = [worker.turn(), worker.turn()];
  expect(await worker.mayBegin()).toBe(false);
  worker.becomeCalm();
  await Promise.all([first, second]);
  expect(worker.hasTimer).toBe(false);
  expect(await worker.mayBegin()).toBe(true);
});

test('in a storm without end, routes begin for half a second after each second', async () => {
  const worker = stage();
  const waits = worker.turn();
  worker.pass(999);
  expect(await worker.mayBegin()).toBe(false);
  worker.pass(1);
  await waits;
  worker.pass(499);
  expect(await worker.mayBegin()).toBe(true);
  worker.pass(1);
  expect(await worker.mayBegin()).toBe(false);
  worker.pass(1_000);
  expect(await worker.mayBegin()).toBe(true);
});
