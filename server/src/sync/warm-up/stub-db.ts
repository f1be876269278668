import { randomUUID } from 'node:crypto';
import { canonicalJson, contentText, linkText, type HelloFrame } from '@tailgate/sync-protocol';
import { codeBook } from '../../codes/code-book.ts';
import type { Db, Statement } from '../../db/types.ts';
import type { Log } from '../../runtime/log.ts';
import { sha256 } from '../../mutations/item.ts';
import * as mutations from '../../mutations/apply/sql.ts';
import { listAssigned } from '../../routes/sql.ts';
import { planLines } from '../../stops/plan-lines.ts';
import { findClients, readEpoch, tieClients } from '../sql.ts';

/** Two batches of the pipeline together. */
const PHONES = 16;
const ITEMS = 32;
const PRODUCTS = 20;

const driver = '1';
const route = { facility: 'F', id: 'R', week_end: '20260101' };
const at = Date.UTC(2026, 0, 1);
const clients = Array.from({ length: PHONES }, () => randomUUID());

export const clock = (): Date => new Date(at);
const codes = codeBook([{ type: 'credit-reason', code: '10', stop_type: '' }]);
export const rules = () => ({ codes, closeMode: 'legacy', timerMs: 1 }) as const;
export const nothing = (): Promise<void> => Promise.resolve();
export const wakeups = { replicate: nothing, replicateRows: nothing, mail: nothing, closeAt: nothing };
export const sessions = { authenticate: () => Promise.resolve({ employee: driver }) };
const silent = (): void => undefined;
export const silentLog: Log = { debug: silent, info: silent, warn: silent, error: silent };

/** The frames of one simulated phone, as text. */
export interface Phone {
  readonly hello: string;
  /** A push of sealed items. */
  readonly push: string;
}

export const phones = (): Phone[] => clients.map(simulatedPhone);

function simulatedPhone(clientId: string, phone: number): Phone {
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
  return { hello: JSON.stringify(helloOf(clientId)), push: `{"mutations":[${items.join(',')}],"type":"push"}` };
}

const helloOf = (clientId: string): HelloFrame => ({
  type: 'hello',
  protocol: 1,
  client_id: clientId,
  device: '',
  employee_id: driver,
  api_token: 'T',
  sdk: '',
  app: '',
  clock: { now: clock().toISOString(), boot_id: 'B', monotonic_ms: 0 },
  cursors: {},
  pending: ITEMS,
  oldest_pending_at: null,
});

const hashOf = (text: string): string => sha256(text).toString('base64url');

/** A stop of twenty lines: six with counts, one of them with an exception. */
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

/** A database with one open route and unused queues. It drops all writes. */
export function stubDb(): Db {
  const lines = planLines({
    products: Array.from({ length: PRODUCTS }, (_, n) => ({ id: `ITEM${n}`, invoice: 'INV', quantity: 3 })),
    collections: [],
  });
  const stop = { version: 1, doc: '{"status":"P"}', lines, removed: false, customer_since: null, lines_since: null };
  // As text, so that each call returns new objects, as a real driver does.
  const answers = new Map<Statement, string>([
    [readEpoch, '[{"epoch":1}]'],
    [findClients, JSON.stringify(clients.map((client_id) => ({ ...queueRow, client_id })))],
    [tieClients, JSON.stringify(clients.map((client_id) => ({ client_id })))],
    [listAssigned, JSON.stringify([{ ...route, employee: driver, status: 'O' }])],
    [mutations.lockClients, JSON.stringify(clients.map((client_id) => ({ ...queueRow, client_id })))],
    [mutations.lockRoutes, JSON.stringify([routeRow])],
    [mutations.loadDrivers, JSON.stringify([driverRow])],
    [mutations.loadStops, JSON.stringify(Array.from({ length: PHONES * ITEMS }, (_, n) => ({ n: n + 1, ...stop })))],
  ]);
  const query: Db['query'] = async (statement) => {
    const rows = readRows(answers.get(statement) ?? '[]');
    return { rows, rowCount: rows.length, command: statement === 'commit' ? 'COMMIT' : '', oid: 0, fields: [] };
  };
  return { query, connect: async () => ({ query, release: silent }) };
}

/** The caller's statement determines the shape. */
const readRows: (text: string) => never[] = JSON.parse;

const queueRow = {
  employee: driver,
  last_seq: 0,
  last_hash: null,
  last_edit_time: null,
  version: 0,
  session_hash: null,
  boot_id: null,
  revoked_at: null,
  held_at: null,
  reopened_at: null,
  revoked: false,
  held: false,
};
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
  unknown_lines: 0,
  newest_stamp: null,
  autoclose_at: null,
  forceclose_at: null,
};
