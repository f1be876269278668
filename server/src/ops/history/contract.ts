import { emailPreviewQuery, nothing, operation, warning } from '@tailgate/sync-protocol';
import * as z from 'zod/mini';
import { described } from '../../http/openapi/described.ts';
import { employeeName, mutationWords, ofOperators, stopWords, tagged } from '../contract.ts';

// Operators' contract: the record of one stop.

/** Query of both operations: the key of a stop. */
export const stopHistoryQuery = z.object(emailPreviewQuery.shape);
export type StopHistoryQuery = z.infer<typeof stopHistoryQuery>;

/** A mutation of the stop in the ledger. */
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
  /** JSON, as text: the text that the hash covers. */
  body: z.string(),
});
export type LedgerEntry = z.infer<typeof ledgerEntry>;

export const historyFile = z.strictObject({
  asset_id: z.string(),
  state: z.enum(['awaited', 'here', 'missing']),
  mime: z.string(),
  size: z.int(),
  received_at: z.nullable(z.iso.datetime()),
  sha256: z.nullable(z.string()),
  on_host: z.boolean(),
});
export type HistoryFile = z.infer<typeof historyFile>;

export const historyMail = z.strictObject({ mutation_id: z.string(), sent_at: z.iso.datetime() });

/** A delivery summary that an operator has sent to an address. */
export const proofMail = z.strictObject({
  mail_id: z.string(),
  to: z.string(),
  by: z.string(),
  asked_at: z.iso.datetime(),
  state: z.enum(['queued', 'sent', 'given_up']),
  sent_at: z.nullable(z.iso.datetime()),
});
export type ProofMail = z.infer<typeof proofMail>;

/** A mutation of the stop that the server could not apply at first. */
const historyKept = z.strictObject({
  quarantine_id: z.string(),
  id: z.string(),
  employee: z.string(),
  code: z.string(),
  reason: z.string(),
  received_at: z.iso.datetime(),
  state: z.enum(['open', 'released', 'dismissed']),
});

/** The state of the stop on the host. */
export const hostStatus = z.strictObject({
  on_host: z.boolean(),
  trace: z.string(),
  sequence: z.nullable(z.int()),
  confirmed_at: z.nullable(z.iso.datetime()),
  parked_id: z.nullable(z.string()),
  parked_since: z.nullable(z.iso.datetime()),
  parked_reason: z.string(),
  skipped_at: z.nullable(z.iso.datetime()),
  skipped_by: z.nullable(z.string()),
  skip_reason: z.nullable(z.string()),
});

export type HostStatus = z.infer<typeof hostStatus>;

export const stopHistory = z.strictObject({
  facility: z.string(),
  route_id: z.string(),
  week_end: z.string(),
  stop_id: z.int(),
  status: z.string(),
  version: z.int(),
  host: hostStatus,
  mutations: z.array(ledgerEntry),
  kept: z.array(historyKept),
  files: z.array(historyFile),
  mails: z.array(historyMail),
  proofs: z.array(proofMail),
});
export type StopHistory = z.infer<typeof stopHistory>;

/** The place of a mutation in the chain of its queue. */
export const chainLink = z.strictObject({
  id: z.string(),
  version: z.int(),
  client_id: z.nullable(z.string()),
  seq: z.nullable(z.int()),
  body: z.enum(['intact', 'altered']),
  link: z.enum(['intact', 'broken', 'lost', 'expired', 'missing', 'unknown', 'none']),
  /** The mutation before it; null where there is none, or where it is missing. */
  follows: z.nullable(z.string()),
});
export type ChainLink = z.infer<typeof chainLink>;

export const chainReport = z.strictObject({
  intact: z.boolean(),
  whole: z.boolean(),
  links: z.array(chainLink),
});
export type ChainReport = z.infer<typeof chainReport>;

const stopRead = {
  method: 'GET',
  ...ofOperators,
  body: nothing,
  query: stopHistoryQuery,
  errors: ['ROUTE_NOT_FOUND', 'STOP_NOT_FOUND'],
} as const;

export const historyOperations = {
  readStopHistory: operation({
    ...tagged,
    ...stopRead,
    path: '/ops/stop-history',
    role: 'look',
    summary:
      'The full record of a stop: changes with author, device and times, their state on the host, files and mails.',
    message: 'History of the stop',
    data: stopHistory,
  }),
  verifyStopHistory: operation({
    ...stopRead,
    path: '/ops/stop-history/verify',
    role: 'look',
    summary: 'Checks the stop’s mutations against the seals of their devices and lists the broken ones.',
    message: 'Chain of the stop',
    data: chainReport,
  }),
} as const;

export const historySchemas = [
  described('StopHistoryQuery', stopHistoryQuery, 'The key of the stop.', stopWords),
  described('StopHistory', stopHistory, 'The full record of a stop, the oldest first.', {
    ...stopWords,
    status: 'The present status.',
    version: 'The route version of its last change.',
    host: 'The state of the stop on the host.',
    mutations: 'Every accepted change, with its author and its times.',
    kept: 'Mutations that the server could not apply at their arrival.',
    files: 'The files that the stop names now: signature and photos.',
    mails: 'Delivery mails that a mail server has accepted.',
    proofs: 'Delivery summaries that operators have sent to an address, newest first.',
  }),
  described('HostStanding', hostStatus, 'The state of the stop on the host.', {
    on_host: 'Whether the host has the present state of the stop.',
    trace: 'The trace id on the host (`RUTRC`, `PODRPLP`); blank if the stop was never written.',
    sequence: 'The sequence on the host (`RURPSQ`).',
    confirmed_at: 'When the host last confirmed the stop, UTC.',
    parked_id: 'Its entry in `GET /api/ops/parked/{parked_id}`; null if it is not parked.',
    parked_since: 'The time of its parking, UTC; null if it is not parked.',
    parked_reason: 'The reason of the host; blank if it is not parked.',
    skipped_at:
      'The time at which an operator skipped it (`POST /api/ops/parked/{parked_id}/skip`), UTC; null if it waits or is not parked.',
    skipped_by: 'The name of that operator.',
    skip_reason: 'The reason of that operator.',
  }),
  described('LedgerEntry', ledgerEntry, 'A change in the ledger.', {
    ...mutationWords,
    result: '`duplicate`: the change had no effect.',
    employee: 'The employee who recorded it.',
    employee_name: employeeName,
    client_id: 'The queue that sent it.',
    seq: 'Its place in that queue.',
    device: 'The present name of the device; blank without a queue.',
    app: 'The present app and version; blank without a queue.',
    captured_at: 'The time by the clock of the device, UTC.',
    edit_time: 'The same by the clock of the server, which orders edits, UTC.',
    received_at: 'The time of its receipt, UTC.',
    on_host: 'Whether the host has the stop with this change.',
    warnings: 'Warnings about the change.',
    body: 'JSON as text, as received.',
  }),
  described('HistoryKept', historyKept, 'A mutation that the server could not apply at its arrival.', {
    quarantine_id: 'Names the entry: `GET /api/ops/quarantine/{quarantine_id}`.',
    id: mutationWords.id,
    employee: 'The employee who recorded it.',
    code: 'The error code.',
    reason: 'The same in words.',
    received_at: 'UTC.',
    state: 'Open, released or dismissed.',
  }),
  described('HistoryFile', historyFile, 'A signature, a photo.', {
    asset_id: 'Names the file.',
    state: '`awaited`: its bytes are still to come. `missing`: they have not come for a day.',
    mime: 'Its type, detected from its bytes; blank until they arrive.',
    size: 'Bytes.',
    received_at: 'When all of them were here, UTC.',
    sha256:
      'SHA-256 of its bytes, in hexadecimal, computed at the receipt: the leaf of the log has the same. Null until then.',
    on_host: 'Whether the host has it whole.',
  }),
  described('HistoryMail', historyMail, 'A delivery mail.', {
    mutation_id: 'The change that brought the stop to `D`.',
    sent_at: 'When a mail server took it, UTC.',
  }),
  described('ProofMail', proofMail, 'A delivery summary that an operator sends to an address.', {
    mail_id: 'Names the mail, also in its `Message-ID`.',
    to: 'The address.',
    by: 'The author.',
    asked_at: 'When the author asked for it, UTC.',
    state:
      '`queued`: the server tries to send it, for half a day. `sent`: a mail server has taken it. `given_up`: no mail server took it, and an incident has the reason.',
    sent_at: 'When a mail server took it, UTC; null until then.',
  }),
  described('ChainReport', chainReport, 'Whether the ledger still says what the devices sealed.', {
    intact: 'No text is altered and no link is broken.',
    whole: 'Every link could be followed.',
    links: 'Each change of the stop, in the order of the ledger.',
  }),
  described('ChainLink', chainLink, 'A change and its place in the chain of its queue.', {
    id: mutationWords.id,
    version: mutationWords.version,
    client_id: 'Its queue; null for what came by none.',
    seq: 'Its place in that queue.',
    body: '`altered`: the text is not the one that its hash was taken of.',
    link: '`broken`: it does not follow the item before it. `lost`: its phone has declared that item lost. `expired`: that item was deleted when its time was over. `missing`: that item is not here, and nothing says why. `unknown`: the link was not kept then. `none`: it came by no queue.',
    follows: 'The item before it in its queue; null where there is none, or where it is not here.',
  }),
];
