import { randomUUID } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { canonicalJson, contentText, linkText } from '@tailgate/sync-protocol';
import { codeBook } from '../codes/code-book.ts';
import type { Db, Statement } from '../db/types.ts';
import type { Log } from '../log.ts';
import type { Queue } from '../mutations/change.ts';
import { sha256 } from '../mutations/item.ts';
import { openPipeline } from '../mutations/pipeline.ts';
import * as sql from '../mutations/sql.ts';
import { planLines } from '../stops/plan-lines.ts';
import { readFrame } from './incoming.ts';

/** By then the engine has compiled what a change passes through; twice as many gain nothing (docs/performance.md). */
const TURNS = 32;
/** Together one batch of the pipeline. */
const PHONES = 4;
const ITEMS = 32;
const PRODUCTS = 20;

const driver = '1';
const route = { facility: 'F', id: 'R', week_end: '20260101' };
const at = Date.UTC(2026, 0, 1);

/**
 * Plays a storm of phones through reading, rules and pipeline before the first real one comes: a fleet comes back at
 * the very moment at which a server has just started, and code that has never run takes half as long again. The
 * stage stands where the database does, so that nothing is read or written. Gives way after each batch, and for good
 * where the server is to stop.
 *
 * @returns how many changes were applied: all of them, or it was no rehearsal of what follows
 */
export async function rehearse(stopping?: AbortSignal): Promise<number> {
  const pipeline = openPipeline({ db: stage(), wakeups, rules: () => rules, clock: () => new Date(at), log: unheard });
  const phones = Array.from({ length: PHONES }, phoneOnStage);
  let applied = 0;
  for (let turn = 0; turn < TURNS; turn++) {
    if (stopping?.aborted) break;
    const answers = phones.map(async ({ clientId, frame }) => {
      const arrival = readFrame(frame.toString(), at);
      if (arrival.type !== 'frame' || arrival.frame.type !== 'push') return;
      const queue: Queue = { session: {}, clientId, employee: driver, clock };
      const answer = await pipeline.push(queue, arrival.frame.mutations);
      JSON.stringify({ type: 'ack', ...answer });
      applied += answer.results.filter(({ result }) => result === 'applied').length;
    });
    await Promise.all(answers);
    await setImmediate();
  }
  await pipeline.close();
  return applied;
}

const clock: Queue['clock'] = { bootId: '', monotonicMs: 0, deviceNow: at, serverNow: at };
const codes = codeBook([{ type: 'credit-reason', code: '10', stop_type: '' }]);
const rules = { codes, closeMode: 'legacy', timerMs: 1 } as const;
const nothing = (): Promise<void> => Promise.resolve();
const wakeups = { replicate: nothing, replicateRows: nothing, mail: nothing, closeAt: nothing };
const silent = (): void => undefined;
const unheard: Log = { debug: silent, info: silent, warn: silent, error: silent };

interface PhoneOnStage {
  readonly clientId: string;
  /** One push of sealed items, as it comes over the wire. */
  readonly frame: Buffer;
}

const clients = Array.from({ length: PHONES }, () => randomUUID());

function phoneOnStage(_: unknown, phone: number): PhoneOnStage {
  let link: string | null = null;
  const items = Array.from({ length: ITEMS }, (_item, n) => {
    const seq = n + 1;
    const content = {
      id: randomUUID(),
      name: 'stop.update',
      version: 1,
      args: { route, stop: delivered(phone * ITEMS + seq) },
      captured_at: new Date(at + seq * 1_000).toISOString(),
      boot_id: 'B',
      monotonic_ms: seq * 1_000,
    };
    const item = canonicalJson({ ...content, seq, prev_hash: link });
    link = hashOf(linkText(hashOf(contentText(content)), link, seq));
    return item;
  });
  return { clientId: clients[phone] ?? '', frame: Buffer.from(`{"mutations":[${items.join(',')}],"type":"push"}`) };
}

const hashOf = (text: string): string => sha256(text).toString('base64url');

/** A stop of twenty lines, six of them counted, one with an exception. */
const delivered = (stop: number) => ({
  id: stop,
  updates: {
    status: 'D',
    start_delivery_time: '2026-01-01T08:00:00.000Z',
    end_delivery_time: '2026-01-01T08:10:00.000Z',
    delivery_latitude: '41.878113',
    delivery_longitude: '-87.629798',
    store_emp_name: 'José',
    driver_comments: 'Bitte hinten anliefern, Kühlware zuerst',
  },
  products: Array.from({ length: 6 }, (_, n) => ({
    id: `ITEM${n}`,
    invoice: 'INV',
    updates: { delivered: (stop + n) % 3, accounting_complete: true, ...(n === 0 && { osd_data: [damage] }) },
  })),
});
const entry = { comment: 'damaged', quantity: 1, barcodes: '0012345678905', images_id: '' };
const damage = { osd_id: 'ab12cd', osd_code: 10, data: [entry] };

/** A database with one open route, whose queues always stand at their beginning: what is written to it is gone. */
function stage(): Db {
  const lines = planLines({
    products: Array.from({ length: PRODUCTS }, (_, n) => ({ id: `ITEM${n}`, invoice: 'INV', quantity: 3 })),
    collections: [],
  });
  const stop = { version: 1, doc: '{"status":"P"}', lines, removed: false, customer_since: null, lines_since: null };
  // As text, so that all that comes from it is made anew each time, as a driver makes it.
  const answers = new Map<Statement, string>([
    [sql.lockClients, JSON.stringify(clients.map((client_id) => ({ ...queueRow, client_id })))],
    [sql.lockRoutes, JSON.stringify([routeRow])],
    [sql.loadDrivers, JSON.stringify([driverRow])],
    [sql.loadStops, JSON.stringify(Array.from({ length: PHONES * ITEMS }, (_, n) => ({ n: n + 1, ...stop })))],
  ]);
  const query: Db['query'] = async (statement) => {
    const rows = readRows(answers.get(statement) ?? '[]');
    return { rows, rowCount: rows.length, command: statement === 'commit' ? 'COMMIT' : '', oid: 0, fields: [] };
  };
  return { query, connect: async () => ({ query, release: silent }) };
}

/** Of whatever shape its reader expects. */
const readRows: (text: string) => never[] = JSON.parse;

const queueRow = { employee: driver, last_seq: 0, last_hash: null, last_edit_time: null, version: 0, revoked: false };
const driverRow = { ...route, route_id: route.id, employee: driver, name: '', type: 'D', removed: false };
const routeRow = {
  ...route,
  epoch: 1,
  version: 1,
  header_version: 1,
  name: '',
  email_flag: false,
  withdrawn_at: null,
  status: 'O',
  arrived: true,
  closed_at: null,
  closed_by: null,
  late: 0,
  autoclose_at: null,
  forceclose_at: null,
};
