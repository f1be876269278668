import * as z from '#schema';
import { emailPreviewQuery } from './email-operations.ts';
import { warning } from '../wire/mutation-result.ts';
import { nothing, operation } from './operations.ts';

// All that is known of a stop, for operators.

/** Query of both: the four that name a stop. */
export const stopHistoryQuery = z.object(emailPreviewQuery.shape);
export type StopHistoryQuery = z.infer<typeof stopHistoryQuery>;

/** A mutation of the stop, as the ledger has it. */
export const ledgerEntry = z.strictObject({
  id: z.string(),
  version: z.int(),
  source: z.enum(['sync', 'rest', 'office', 'timer']),
  result: z.enum(['applied', 'duplicate']),
  employee: z.string(),
  employee_name: z.string(),
  client_id: z.nullable(z.string()),
  seq: z.nullable(z.int()),
  device: z.string(),
  app: z.string(),
  captured_at: z.nullable(z.iso.datetime()),
  edit_time: z.iso.datetime(),
  received_at: z.iso.datetime(),
  on_host: z.boolean(),
  warnings: z.array(warning),
  /** JSON, as text: what its hash was taken of. */
  body: z.string(),
});
export type LedgerEntry = z.infer<typeof ledgerEntry>;

export const historyFile = z.strictObject({
  asset_id: z.string(),
  state: z.enum(['awaited', 'here', 'missing']),
  mime: z.string(),
  size: z.int(),
  received_at: z.nullable(z.iso.datetime()),
  on_host: z.boolean(),
});
export type HistoryFile = z.infer<typeof historyFile>;

export const historyMail = z.strictObject({ mutation_id: z.string(), sent_at: z.iso.datetime() });

/** What of the stop could not be applied when it came. */
export const historyKept = z.strictObject({
  quarantine_id: z.string(),
  id: z.string(),
  employee: z.string(),
  code: z.string(),
  reason: z.string(),
  received_at: z.iso.datetime(),
  state: z.enum(['open', 'released', 'dismissed']),
});

/** How the host stands with the stop. */
export const hostStanding = z.strictObject({
  on_host: z.boolean(),
  trace: z.string(),
  sequence: z.nullable(z.int()),
  confirmed_at: z.nullable(z.iso.datetime()),
  parked_since: z.nullable(z.iso.datetime()),
  parked_reason: z.string(),
  skipped_at: z.nullable(z.iso.datetime()),
  skipped_by: z.nullable(z.string()),
  skip_reason: z.nullable(z.string()),
});

export const stopHistory = z.strictObject({
  facility: z.string(),
  route_id: z.string(),
  week_end: z.string(),
  stop_id: z.int(),
  status: z.string(),
  version: z.int(),
  host: hostStanding,
  mutations: z.array(ledgerEntry),
  kept: z.array(historyKept),
  files: z.array(historyFile),
  mails: z.array(historyMail),
});
export type StopHistory = z.infer<typeof stopHistory>;

/** One mutation's place in the chain of its queue. */
export const chainLink = z.strictObject({
  id: z.string(),
  version: z.int(),
  client_id: z.nullable(z.string()),
  seq: z.nullable(z.int()),
  body: z.enum(['intact', 'altered']),
  link: z.enum(['intact', 'broken', 'lost', 'expired', 'missing', 'unknown', 'none']),
  /** The mutation that it must follow; null where there is none, or where it is not here. */
  follows: z.nullable(z.string()),
});
export type ChainLink = z.infer<typeof chainLink>;

export const chainReport = z.strictObject({
  intact: z.boolean(),
  whole: z.boolean(),
  links: z.array(chainLink),
});
export type ChainReport = z.infer<typeof chainReport>;

const lookAtStop = {
  method: 'GET',
  sets: ['current'],
  access: 'operator',
  body: nothing,
  query: stopHistoryQuery,
  errors: ['ROUTE_NOT_FOUND', 'STOP_NOT_FOUND'],
} as const;

export const historyOperations = {
  readStopHistory: operation({
    ...lookAtStop,
    path: '/ops/stop-history',
    summary:
      'All that was ever recorded of a stop: who, on what, when by which clock, what the host has of it, files and mails.',
    message: 'History of the stop',
    data: stopHistory,
  }),
  verifyStopHistory: operation({
    ...lookAtStop,
    path: '/ops/stop-history/verify',
    summary: 'Whether the stop’s mutations are what their devices sealed, one after the other; names what is not.',
    message: 'Chain of the stop',
    data: chainReport,
  }),
} as const;
