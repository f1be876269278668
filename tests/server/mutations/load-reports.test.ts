import { createHash, randomUUID } from 'node:crypto';
import type { LoadConditionReport } from '@tailgate/sync-protocol';
import { contentText } from '@tailgate/sync-protocol';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Pipeline } from '../../../server/src/mutations/change.ts';
import * as sql from '../../../server/src/reports/sql.ts';
import { TestQueue } from '../../support/sealing.ts';
import { addRoute, bindQueue, delivered, pipelineDeps, updateOf } from './fixture.ts';

let deps: Awaited<ReturnType<typeof pipelineDeps>>;
let pipeline: Pipeline;

beforeAll(async () => {
  deps = await pipelineDeps();
  pipeline = deps.open();
});

const reportOf = (reportId: string, more: Partial<LoadConditionReport> = {}): LoadConditionReport => ({
  reportId,
  loadId: 'L1',
  stopId: '1',
  driverId: '1001',
  capturedAt: '2026-11-20T08:00:00.000Z',
  sections: [{ key: 'stacking', rating: 3, reason: '', comment: '', photos_id: '' }],
  ...more,
});
const withTrace = (queue: TestQueue, report: object) => queue.seal('report.load_condition', { report });
const rows = async (text: string, values: unknown[] = []) => (await deps.pool.query<object>(text, values)).rows;
const standing = (id: string) => rows('select version, hosted_version from load_report where report_id = $1', [id]);

describe('report.load_condition (decision 17)', () => {
  test('commits with its ledger row, its watermark and the wake-up for the host', async () => {
    const queue = new TestQueue();
    const session = await bindQueue(deps, queue, '1001');
    const item = withTrace(queue, reportOf('S1'));
    expect(await pipeline.push(session, [item])).toEqual({
      last_seq: 1,
      results: [{ seq: 1, id: item.id, result: 'applied' }],
    });
    expect(await standing('S1')).toEqual([{ version: 1, hosted_version: 0 }]);
    const [entry] = await rows('select source, employee, seq, route_id, hash, body from ledger where id = $1', [
      item.id,
    ]);
    const hash = createHash('sha256').update(contentText(item)).digest();
    expect(entry).toEqual({ source: 'sync', employee: '1001', seq: 1, route_id: '', hash, body: contentText(item) });
    expect(await rows('select last_seq from client where client_id = $1', [queue.clientId])).toEqual([{ last_seq: 1 }]);
    expect(await rows(`select from pgboss.job where name = 'replicate-rows'`)).not.toEqual([]);
  });

  test('keeps its place between stops of the same queue', async () => {
    const key = await addRoute(deps, 'LR1', ['1001']);
    const queue = new TestQueue();
    const session = await bindQueue(deps, queue, '1001');
    const items = [
      updateOf(queue, key, delivered(1)),
      withTrace(queue, reportOf('S2')),
      updateOf(queue, key, delivered(2)),
      withTrace(queue, reportOf('S2', { stopId: '2' })),
    ];
    const { last_seq, results } = await pipeline.push(session, items);
    expect(last_seq).toBe(4);
    expect(results.map(({ result }) => result)).toEqual(['applied', 'applied', 'applied', 'applied']);
    expect(await standing('S2')).toMatchObject([{ version: 2 }]);
  });

  test('after a lost ack the same items are duplicates, also after another revision', async () => {
    const queue = new TestQueue();
    const session = await bindQueue(deps, queue, '1001');
    const items = [withTrace(queue, reportOf('S3')), withTrace(queue, reportOf('S3', { stopId: '2' }))];
    await pipeline.push(session, items);
    const { last_seq, results } = await pipeline.push(session, items);
    expect(last_seq).toBe(2);
    expect(results.map(({ result }) => result)).toEqual(['duplicate', 'duplicate']);
    expect(await standing('S3')).toMatchObject([{ version: 2 }]);
  });

  test('by two queues and by REST at the same time it is one report', async () => {
    const nodes = [pipeline, deps.open()];
    const queues = [new TestQueue(), new TestQueue()];
    const sessions = await Promise.all(queues.map((queue) => bindQueue(deps, queue, '1001')));
    const report = reportOf('S4');
    const outcomes = await Promise.all([
      ...queues.map(async (queue, n) => {
        const session = sessions[n];
        if (!session) throw new Error('each queue has its session');
        const answer = await nodes[n]?.push(session, [withTrace(queue, report)]);
        return answer?.results[0]?.result === 'applied';
      }),
      ...nodes.map(async (node) => {
        const outcome = await node.submitReport({
          id: randomUUID(),
          report,
          receivedAt: new Date(),
          dedupeByContent: true,
        });
        return outcome.result === 'reported' && !outcome.duplicate;
      }),
    ]);
    expect(outcomes.filter((first) => first)).toHaveLength(1);
    expect(await standing('S4')).toMatchObject([{ version: 1 }]);
    expect(await rows(`select from load_report_revision where report_id = 'S4'`)).toHaveLength(1);
  });

  test('waits for another node that is saving the same report', async () => {
    const report = reportOf('S10');
    const other = await deps.pool.connect();
    await other.query('begin');
    await other.query(sql.lockReports, [[report.reportId]]);
    const submitted = pipeline.submitReport({
      id: randomUUID(),
      report,
      receivedAt: new Date(),
      dedupeByContent: true,
    });
    const waiting = () => rows(`select from pg_locks where locktype = 'advisory' and not granted`);
    await expect.poll(waiting).toHaveLength(1);
    await other.query(`insert into load_report (report_id, version) values ('S10', 1)`);
    await other.query(
      `insert into load_report_revision select 'S10', 1, load_id, stop_id, driver_id, captured_at, '2026-11-20', replace(doc, 'S1', 'S10')
         from load_report_revision where report_id = 'S1'`,
    );
    await other.query('commit');
    other.release();
    expect(await submitted).toMatchObject({ result: 'reported', duplicate: true, receivedAt: new Date('2026-11-20') });
  });

  test('an unreadable report goes to quarantine by name, and the queue continues', async () => {
    const queue = new TestQueue();
    const session = await bindQueue(deps, queue, '1001');
    const broken = withTrace(queue, { ...reportOf('S5'), sections: [{ key: 'stacking', rating: 9 }] });
    const { last_seq, results } = await pipeline.push(session, [broken, withTrace(queue, reportOf('S5'))]);
    expect(last_seq).toBe(2);
    expect(results).toMatchObject([
      { result: 'quarantined', code: 'VALIDATION_FAILED', details: [{ path: 'args.report.sections.0.rating' }] },
      { result: 'applied' },
    ]);
    expect(await rows('select name, employee, state from quarantine where id = $1', [broken.id])).toEqual([
      { name: 'report.load_condition', employee: '1001', state: 'open' },
    ]);
  });

  test('a reused id goes to quarantine, and the report is unchanged', async () => {
    const [first, second] = [reportOf('S6'), reportOf('S6', { stopId: '2' })];
    const id = randomUUID();
    const submit = (report: LoadConditionReport) =>
      pipeline.submitReport({ id, report, receivedAt: new Date(), dedupeByContent: false });
    expect(await submit(first)).toMatchObject({ result: 'reported', duplicate: false });
    expect(await submit(second)).toMatchObject({ result: 'quarantined', code: 'ID_REUSED' });
    expect(await standing('S6')).toMatchObject([{ version: 1 }]);
  });

  test('an item that PostgreSQL refuses goes to quarantine alone', async () => {
    await deps.pool.query(`alter table load_report_revision add constraint trial check (load_id <> 'POISON')`);
    const change = (report: LoadConditionReport) =>
      pipeline.submitReport({ id: randomUUID(), report, receivedAt: new Date(), dedupeByContent: true });
    const outcomes = await Promise.all([
      change(reportOf('S7')),
      change(reportOf('S8', { loadId: 'POISON' })),
      change(reportOf('S9')),
    ]);
    expect(outcomes.map(({ result }) => result)).toEqual(['reported', 'quarantined', 'reported']);
    expect(await standing('S8')).toEqual([]);
    await deps.pool.query('alter table load_report_revision drop constraint trial');
  });
});
