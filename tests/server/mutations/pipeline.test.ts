import { describe, expect, it } from 'vitest';
import type { StopResult } from '@tailgate/sync-protocol';
import type { RouteCommit } from '../../../server/src/mutations/change.ts';
import { readResult } from '../../../server/src/stops/stored-documents.ts';
import { plan } from '../../support/mirror.ts';
import { TestQueue } from '../../support/sealing.ts';
import { restChange } from '../../support/rest-change.ts';
import { addRoute, bindQueue, delivered, pipelineDeps, route, sessionOf, updateOf } from './fixture.ts';

const deps = await pipelineDeps();
const pipeline = deps.open();

const resultOf = async (id: string, stop: number): Promise<StopResult> =>
  readResult(
    (await deps.one<{ doc: string }>('select doc from stop_result where route_id = $1 and stop_id = $2', [id, stop]))
      .doc,
  );

describe('one commit for all effects of a mutation (I2)', () => {
  it('saves result, ledger, route version, watermark and wake-up together, and answers with the version', async () => {
    const key = await addRoute(deps, 'P1', ['1001']);
    const queue = new TestQueue();
    const session = await bindQueue(deps, queue, '1001');
    const items = [updateOf(queue, key, delivered(1, 'Tür 1')), updateOf(queue, key, delivered(2))];
    const jobsBefore = await deps.one<{ n: number }>(`select count(*) as n from pgboss.job where name = 'replicate'`);

    const answer = await pipeline.push(session, items);

    expect(answer).toEqual({
      last_seq: 2,
      results: items.map(({ id, seq }, n) => ({ seq, id, result: 'applied', version: n + 2, status: 'D' })),
    });
    expect(await deps.one('select version, behind from route where id = $1', ['P1'])).toEqual({
      version: 3,
      behind: true,
    });
    expect(await deps.one('select last_seq from client where client_id = $1', [queue.clientId])).toEqual({
      last_seq: 2,
    });
    const ledger = await deps.pool.query(
      'select id, seq, version, source, employee, result from ledger where route_id = $1 order by version',
      ['P1'],
    );
    expect(ledger.rows).toEqual(
      items.map(({ id, seq }, n) => ({ id, seq, version: n + 2, source: 'sync', employee: '1001', result: 'applied' })),
    );
    expect(await resultOf('P1', 1)).toMatchObject({
      status: 'D',
      updates: { driver_comments: 'Tür 1', delivered_by_driver_id: '1001' },
    });
    const jobs = await deps.one<{ n: number }>(`select count(*) as n from pgboss.job where name = 'replicate'`);
    expect(jobs.n).toBeGreaterThan(jobsBefore.n);
  });

  it('notifies the feed after the commit, once for each route, with the changed documents', async () => {
    const key = await addRoute(deps, 'P2', ['1001']);
    const commits: RouteCommit[] = [];
    const stop = pipeline.onCommit((some) => commits.push(...some.filter(({ key: of }) => of.id === 'P2')));
    await pipeline.submit(restChange(key, delivered(1), '1001'));
    stop();
    expect(commits).toMatchObject([
      { from: 1, to: 2, documents: [{ key: 'result/1', version: 2, previousVersion: 1 }] },
    ]);
    expect(JSON.parse(commits[0]?.documents[0]?.text ?? '')).toEqual(await resultOf('P2', 1));
  });

  it('queues one mail for each transition to D, in the same commit', async () => {
    const key = await addRoute(deps, 'P3', ['1001']);
    const mails = async () =>
      (
        await deps.one<{ n: number }>(
          `select count(*) as n from pgboss.job where name = 'mail' and data->>'route_id' = 'P3'`,
        )
      ).n;
    await pipeline.submit(restChange(key, delivered(1, 'first'), '1001'));
    await pipeline.submit(restChange(key, delivered(1, 'second'), '1001'));
    expect(await mails()).toBe(1);
    await pipeline.submit(restChange(key, { id: 1, updates: { status: 'R' } }, '1001'));
    await pipeline.submit(restChange(key, delivered(1, 'third'), '1001'));
    expect(await mails()).toBe(2);
  });
});

describe('identity (decision 8): the id and the content, not the number', () => {
  it('answers a repeated push with the same versions, and changes nothing', async () => {
    const key = await addRoute(deps, 'I1', ['1001']);
    const queue = new TestQueue();
    const session = await bindQueue(deps, queue, '1001');
    const items = [updateOf(queue, key, delivered(1)), updateOf(queue, key, delivered(2))];
    const first = await pipeline.push(session, items);
    const again = await pipeline.push(sessionOf(queue, '1001'), items);
    expect(again).toEqual({
      last_seq: 2,
      results: first.results.map((result) => ({ ...result, result: 'duplicate' })),
    });
    expect(await deps.one('select version from route where id = $1', ['I1'])).toEqual({ version: 3 });
  });

  it('recognises an item under another queue, so that a cloned phone doubles nothing', async () => {
    const key = await addRoute(deps, 'I2', ['1001']);
    const original = new TestQueue();
    const item = updateOf(original, key, delivered(1));
    await pipeline.push(await bindQueue(deps, original, '1001'), [item]);
    const clone = new TestQueue();
    const answer = await pipeline.push(await bindQueue(deps, clone, '1001'), [{ ...item, seq: 1, prev_hash: null }]);
    expect(answer).toMatchObject({ last_seq: 1, results: [{ result: 'duplicate', version: 2 }] });
  });

  it('quarantines an id that comes again with another content, and the queue continues', async () => {
    const key = await addRoute(deps, 'I3', ['1001']);
    const queue = new TestQueue();
    const session = await bindQueue(deps, queue, '1001');
    const first = updateOf(queue, key, delivered(1));
    await pipeline.push(session, [first]);
    const reused = { ...updateOf(queue, key, delivered(2)), id: first.id };
    const answer = await pipeline.push(session, [reused, updateOf(queue, key, delivered(3))]);
    expect(answer).toMatchObject({
      last_seq: 3,
      results: [{ result: 'quarantined', code: 'ID_REUSED' }, { result: 'applied' }],
    });
    expect(await resultOf('I3', 2)).toEqual({ status: 'P' });
  });

  it('answers `fork` to an unknown item at a number that is taken, and takes nothing more of that session', async () => {
    const key = await addRoute(deps, 'I4', ['1001']);
    const queue = new TestQueue();
    const session = await bindQueue(deps, queue, '1001');
    await pipeline.push(session, [updateOf(queue, key, delivered(1))]);
    const restored = new TestQueue();
    const unknownItems = [updateOf(restored, key, delivered(2)), updateOf(restored, key, delivered(3))];
    expect(await pipeline.push(session, unknownItems)).toEqual({ last_seq: 1, results: [], fork: 1 });
    expect(await pipeline.push(session, unknownItems.slice(1))).toMatchObject({ last_seq: 1, results: [], fork: 2 });
    expect(await resultOf('I4', 3)).toEqual({ status: 'P' });
  });

  it('answers a gap with the next expected number', async () => {
    const key = await addRoute(deps, 'I5', ['1001']);
    const queue = new TestQueue();
    const session = await bindQueue(deps, queue, '1001');
    const [first, second, third] = [1, 2, 3].map((stop) => updateOf(queue, key, delivered(stop)));
    expect(await pipeline.push(session, [second, third])).toEqual({ last_seq: 0, results: [], wants: 1 });
    expect(await pipeline.push(session, [second, first])).toMatchObject({ last_seq: 1, wants: 2 });
    expect(await pipeline.push(session, [first, second, third])).toMatchObject({ last_seq: 3 });
  });

  it('flags a broken chain and applies the item', async () => {
    const key = await addRoute(deps, 'I6', ['1001']);
    const queue = new TestQueue();
    const session = await bindQueue(deps, queue, '1001');
    await pipeline.push(session, [updateOf(queue, key, delivered(1))]);
    const tampered = { ...updateOf(queue, key, delivered(2)), prev_hash: 'A'.repeat(43) };
    expect(await pipeline.push(session, [tampered])).toMatchObject({
      results: [{ result: 'applied', warnings: [{ code: 'chain_broken' }] }],
    });
    expect(await deps.one('select kind from incident where client_id = $1', [queue.clientId])).toEqual({
      kind: 'chain_broken',
    });
  });
});

describe('a queue always drains (I5)', () => {
  it.each([
    ['a wrong type', { id: 1, updates: { status: 7 } }, 'VALIDATION_FAILED', 'args.stop.updates.status'],
    ['an item of blanks', { id: 1, products: [{ id: ' ' }] }, 'VALIDATION_FAILED', 'args.stop.products.0.id'],
    ['a stop that is not there', { id: 77, updates: { status: 'D' } }, 'STOP_NOT_FOUND', undefined],
  ])('quarantines %s verbatim, and applies the items that follow', async (what, stop, code, path) => {
    const id = `Q${what.length}`;
    const key = await addRoute(deps, id, ['1001']);
    const queue = new TestQueue();
    const session = await bindQueue(deps, queue, '1001');
    const bad = updateOf(queue, key, stop);
    const answer = await pipeline.push(session, [bad, updateOf(queue, key, delivered(1))]);
    expect(answer).toMatchObject({ last_seq: 2, results: [{ result: 'quarantined', code }, { result: 'applied' }] });
    const kept = await deps.one<{ body: Buffer; details: string }>(
      'select body, details from quarantine where id = $1',
      [bad.id],
    );
    expect(JSON.parse(kept.body.toString())).toMatchObject({ id: bad.id, args: bad.args });
    expect(JSON.parse(kept.details)).toMatchObject(path ? [{ path }] : []);
    const again = await pipeline.push(sessionOf(queue, '1001'), [bad]);
    expect(again.results).toEqual(answer.results.slice(0, 1));
  });

  it('quarantines unknown names, other drivers and unknown routes', async () => {
    const key = await addRoute(deps, 'Q1', ['1002']);
    const queue = new TestQueue();
    const session = await bindQueue(deps, queue, '1001');
    const items = [
      { ...updateOf(queue, key, delivered(1)), name: 'stop.teleport' },
      updateOf(queue, key, delivered(1)),
      updateOf(queue, route('NONE'), delivered(1)),
    ];
    const { results } = await pipeline.push(session, items);
    expect(results.map(({ code }) => code)).toEqual(['UNKNOWN_MUTATION', 'NOT_ASSIGNED', 'ROUTE_NOT_FOUND']);
  });

  it('splits a rejected batch until the faulty item is isolated', async () => {
    const key = await addRoute(deps, 'Q2', ['1001'], 9);
    await deps.pool.query(`alter table stop_result add constraint no_poison check (doc not like '%poison%')`);
    const queue = new TestQueue();
    const session = await bindQueue(deps, queue, '1001');
    const items = Array.from({ length: 9 }, (_, n) =>
      updateOf(queue, key, delivered(n + 1, n === 4 ? 'poison' : `fine ${n}`)),
    );
    const { last_seq, results } = await pipeline.push(session, items);
    await deps.pool.query('alter table stop_result drop constraint no_poison');
    expect(last_seq).toBe(9);
    expect(results.map(({ result }) => result)).toEqual(items.map((_, n) => (n === 4 ? 'quarantined' : 'applied')));
    const versions = results.flatMap(({ version }) => version ?? []);
    expect(versions).toEqual([2, 3, 4, 5, 6, 7, 8, 9]);
  });

  it('refuses a push with an item without an id', async () => {
    const session = await bindQueue(deps, new TestQueue(), '1001');
    await expect(pipeline.push(session, [{ seq: 1 }])).rejects.toMatchObject({ details: [{ path: 'mutations.0.id' }] });
  });
});

describe('two drivers of one stop (I7)', () => {
  it('keeps both where they edit different fields offline, in either order', async () => {
    const key = await addRoute(deps, 'M1', ['1001', '1002']);
    const [a, b] = [new TestQueue(), new TestQueue()];
    const first = updateOf(a, key, { id: 1, updates: { store_emp_name: 'Ana' } });
    const second = updateOf(b, key, { id: 1, updates: { driver_comments: 'wet dock' } });
    await pipeline.push(await bindQueue(deps, b, '1002'), [second]);
    await pipeline.push(await bindQueue(deps, a, '1001'), [first]);
    expect(await resultOf('M1', 1)).toMatchObject({ updates: { store_emp_name: 'Ana', driver_comments: 'wet dock' } });
  });

  it('keeps the later edit if it arrives first, and warns the other and records it in the ledger', async () => {
    const key = await addRoute(deps, 'M2', ['1001', '1002']);
    const [early, late] = [new TestQueue(), new TestQueue()];
    const at = (minutes: number) => new Date(Date.now() - 3_600_000 + minutes * 60_000);
    const loser = updateOf(early, key, { id: 1, updates: { driver_comments: '10:05' } }, at(5));
    await pipeline.push(await bindQueue(deps, late, '1002'), [
      updateOf(late, key, { id: 1, updates: { driver_comments: '10:10' } }, at(10)),
    ]);
    const { results } = await pipeline.push(await bindQueue(deps, early, '1001'), [loser]);
    expect(results).toMatchObject([
      { result: 'applied', warnings: [{ code: 'superseded', path: 'updates.driver_comments' }] },
    ]);
    expect(await resultOf('M2', 1)).toMatchObject({ updates: { driver_comments: '10:10' } });
    expect(await deps.one('select result from ledger where id = $1', [loser.id])).toEqual({ result: 'applied' });
  });
});

describe('lines of the manifest (contract §4)', () => {
  const [first, second] = plan(1).products.map(({ id, invoice }) => ({ id, invoice }));
  const linesOf = async (id: string) => Object.values((await resultOf(id, 1)).products ?? {});

  it('changes only the lines that were sent, and of them only the fields', async () => {
    const key = await addRoute(deps, 'L1', ['1001']);
    const put = (products: object[]) => pipeline.submit(restChange(key, { id: 1, products }, '1001'));
    await put([
      { ...first, updates: { delivered: 2, returned: 1 } },
      { ...second, updates: { delivered: 3 } },
    ]);
    await put([{ ...first, updates: { delivered: 1 } }]);
    expect(await linesOf('L1')).toEqual([
      { ...first, n: 0, delivered: 1, returned: 1 },
      { ...second, n: 0, delivered: 3 },
    ]);
  });

  it('accepts excessive, unknown and oddly coded values, with a warning that names the place', async () => {
    const key = await addRoute(deps, 'L2', ['1001']);
    const products = [
      { ...first, updates: { delivered: 999 } },
      { id: 'NOWHERE', invoice: 'X', updates: { delivered: 1, osd_data: [{ osd_code: 77, data: [{ quantity: 1 }] }] } },
      { ...first, updates: { delivered: 1 } },
    ];
    const updates = { skip_refuse_reason_code: '13' };
    const outcome = await pipeline.submit(restChange(key, { id: 1, updates, products }, '1001'));
    expect(outcome).toMatchObject({
      result: 'applied',
      warnings: [
        { code: 'unknown_code', path: 'updates.skip_refuse_reason_code' },
        { code: 'over_delivered', path: 'products.0.updates.delivered' },
        { code: 'unknown_product', path: 'products.1' },
        { code: 'unknown_code', path: 'products.1.updates.osd_data.0.osd_code' },
        { code: 'unknown_product', path: 'products.2' },
      ],
    });
    expect(await linesOf('L2')).toMatchObject([{ n: 0, delivered: 999 }, { id: 'NOWHERE' }, { n: 1, delivered: 1 }]);
  });

  it('has applied a change whose only value it ignores, with a warning', async () => {
    const key = await addRoute(deps, 'L4', ['1001']);
    const queue = new TestQueue();
    const session = await bindQueue(deps, queue, '1001');
    const items = [delivered(1), { id: 1, updates: { status: 'P' } }].map((stop) => updateOf(queue, key, stop));
    const { results } = await pipeline.push(session, items);
    expect(results).toMatchObject([
      { result: 'applied' },
      { result: 'applied', status: 'D', warnings: [{ code: 'status_ignored', path: 'updates.status' }] },
    ]);
  });

  it('compares a REST request with the change that made the version, also within one millisecond', async () => {
    const key = await addRoute(deps, 'L5', ['1001']);
    const now = new Date();
    const put = (stop: object) =>
      pipeline.submit(restChange(key, { id: 1, ...stop }, '1001', { editTime: now, receivedAt: now }));
    const ignored = { updates: { status: 'P' } };
    expect(await put(delivered(1))).toMatchObject({ result: 'applied', version: 2 });
    for (const _ of ['once', 'again'])
      expect(await put(ignored)).toMatchObject({ changed: false, warnings: [{ code: 'status_ignored' }] });
    expect(await put(delivered(1))).toMatchObject({ result: 'duplicate', version: 2, warnings: [] });
  });

  it('never lets an empty reference clear a photo or a signature', async () => {
    const key = await addRoute(deps, 'L3', ['1001']);
    const [signature, photo] = ['A'.repeat(16), 'B'.repeat(16)];
    const put = (signature_id: string | null, image_ids: string | null) =>
      pipeline.submit(
        restChange(key, { id: 1, updates: { signature_id }, products: [{ ...first, updates: { image_ids } }] }, '1001'),
      );
    await put(signature, photo);
    await put(null, null);
    await put('', '');
    expect(await resultOf('L3', 1)).toMatchObject({ updates: { signature_id: signature } });
    expect(await linesOf('L3')).toMatchObject([{ image_ids: [photo] }]);
  });
});

describe('REST', () => {
  it('treats the same stop object as a duplicate, but A, B, A as three edits', async () => {
    const key = await addRoute(deps, 'R1', ['1001']);
    const put = (comment: string) => pipeline.submit(restChange(key, delivered(1, comment), '1001'));
    expect(await put('A')).toMatchObject({ result: 'applied', version: 2 });
    expect(await put('A')).toMatchObject({ result: 'duplicate', version: 2 });
    expect(await put('B')).toMatchObject({ result: 'applied', version: 3 });
    expect(await put('A')).toMatchObject({ result: 'applied', version: 4 });
    expect(await resultOf('R1', 1)).toMatchObject({ updates: { driver_comments: 'A' } });
  });

  it('recognises a duplicate from socket to REST and from REST to socket', async () => {
    const key = await addRoute(deps, 'R2', ['1001']);
    const queue = new TestQueue();
    const session = await bindQueue(deps, queue, '1001');
    await pipeline.push(session, [updateOf(queue, key, delivered(1, 'same'))]);
    expect(await pipeline.submit(restChange(key, delivered(1, 'same'), '1001'))).toMatchObject({ result: 'duplicate' });
    await pipeline.submit(restChange(key, delivered(2, 'same'), '1001'));
    const { results } = await pipeline.push(session, [updateOf(queue, key, delivered(2, 'same'))]);
    expect(results).toMatchObject([{ result: 'duplicate' }]);
    expect(await deps.one('select version from route where id = $1', ['R2'])).toEqual({ version: 3 });
  });

  it('recognises a repeat of the present change, also after late changes without effect', async () => {
    const key = await addRoute(deps, 'R4', ['1001', '1002']);
    const put = (comment: string) => pipeline.submit(restChange(key, delivered(1, comment), '1001'));
    await put('stands');
    for (const employee of ['1001', '1002']) {
      const phone = new TestQueue();
      const late = updateOf(phone, key, delivered(1, 'too late'));
      const { results } = await pipeline.push(await bindQueue(deps, phone, employee), [late]);
      expect(results).toMatchObject([{ result: 'applied', version: 2 }]);
    }
    expect(await put('stands')).toMatchObject({ result: 'duplicate', version: 2 });
    expect(await put('too late')).toMatchObject({ result: 'applied', version: 3 });
    expect(await resultOf('R4', 1)).toMatchObject({ updates: { driver_comments: 'too late' } });
  });

  it('applies twenty equal requests at once a single time', async () => {
    const key = await addRoute(deps, 'R3', ['1001']);
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, () => pipeline.submit(restChange(key, delivered(1, 'once'), '1001'))),
    );
    expect(outcomes.filter(({ result }) => result === 'applied')).toHaveLength(1);
    expect(await deps.one('select version from route where id = $1', ['R3'])).toEqual({ version: 2 });
  });
});
