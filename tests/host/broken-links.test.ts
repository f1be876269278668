import { expect, test } from 'vitest';
import { openTestHost } from '../support/driven-host.ts';
import { atFileEnd } from '../support/file-end.ts';
import { hostFailure } from '../support/host-failure.ts';
import { createHost } from '../support/stand-in.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';

const { database, host: direct } = await createHost();
const proxy = await startTcpProxy(Number(new URL(database.url).port));
const host = await openTestHost(proxy.through(database.url), 'TAILGATE');
atFileEnd(async () => {
  await host.close();
  await proxy.stop();
});

const insert = (name: string) => `insert into PODDTA.RTHDRP (RHFAC, RHRTE, RHWKE) values ('F01', '${name}', 20261121)`;
const isThere = async (name: string) =>
  (await direct.query('select RHRTE from PODDTA.RTHDRP where RHRTE = ?', [name])).length > 0;

test('a connection that breaks inside a transaction fails as temporary; nothing is written, and the next call has a new one', async () => {
  const work = host.transaction(async (tx) => {
    await tx.execute(insert('CUT'));
    proxy.cut();
    await tx.execute(insert('AFTER'));
  });
  const { sqlstate, kind } = await hostFailure(work);
  expect([sqlstate.slice(0, 2), kind]).toEqual(['08', 'passing']);
  expect(await host.query('select RHRTE from PODDTA.RTHDRP')).toEqual([]);
});

test('statements that are sent together fail together, with the reason of the first', async () => {
  const work = host.transaction((tx) =>
    Promise.all([tx.execute(insert('A')), tx.execute('nonsense'), tx.execute(insert('B'))]),
  );
  expect(await hostFailure(work)).toMatchObject({ sqlstate: '42601', kind: 'setup' });
  expect(await isThere('A')).toBe(false);
  expect(await host.query('select 1 as A')).toEqual([{ A: '1' }]);
});

test('a commit without an answer has an unknown outcome, though it happened', async () => {
  let work: Promise<unknown> | undefined;
  const held = new Promise<void>((resolve) => {
    work = host.transaction(async (tx) => {
      await tx.execute(insert('LOST'));
      proxy.bufferDown();
      resolve();
    });
  });
  await held;
  await proxy.untilBufferedDown();
  proxy.cut();
  proxy.releaseDown();
  expect(await hostFailure(work ?? Promise.resolve())).toMatchObject({ sqlstate: '08007', kind: 'passing' });
  expect(await isThere('LOST')).toBe(true);
  proxy.pass();
  expect(await host.query('select RHRTE from PODDTA.RTHDRP')).toEqual([{ RHRTE: 'LOST' }]);
});
