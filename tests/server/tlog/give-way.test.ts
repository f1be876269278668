import { expect, test, vi } from 'vitest';
import { openKeys, type ReadKeys } from '../../../server/src/tlog/keys.ts';
import { leavesOf, record, startNode } from './log-node.ts';

// The log beside drivers' changes of the same process.

const node = await startNode();

test('each transaction waits while drivers are served', async () => {
  const turn = Promise.withResolvers<void>();
  const asked = vi.fn<() => Promise<void>>(() => turn.promise);
  const keys = vi.fn<ReadKeys>(await openKeys({ dataDir: node.dataDir, logKeyFile: undefined }));
  const sequencer = await node.sequencer({ giveWay: asked, keys });
  await record(node);
  const passed = sequencer.pass();
  await vi.waitFor(() => expect(asked).toHaveBeenCalled());
  // A pass that did not wait would have read its keys by now.
  expect(keys).not.toHaveBeenCalled();
  turn.resolve();
  await passed;
  expect(await leavesOf(node)).toHaveLength(1);
});

test('a pass gives way in its first second, however many transactions it has', async () => {
  let now = performance.now();
  const asked = vi.fn<() => Promise<void>>(async () => void (now += 600));
  // Each transaction takes one fact.
  const sequencer = await node.sequencer({ giveWay: asked, limit: 1 });
  for (let n = 0; n < 4; n++) await record(node);
  vi.spyOn(performance, 'now').mockImplementation(() => now);
  await sequencer.pass();
  vi.restoreAllMocks();
  expect(asked).toHaveBeenCalledTimes(2);
  expect(await leavesOf(node)).toHaveLength(5);
});
