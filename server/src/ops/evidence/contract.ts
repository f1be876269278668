import { blankIsAbsent, nothing, operation, queryNumber, stopStatus } from '@tailgate/sync-protocol';
import * as z from 'zod/mini';
import { faultCodes } from '../../../verify/src/fault.ts';
import { withholdable } from '../../../verify/src/format.ts';
import { checkNames, checkStates, outcomes } from '../../../verify/src/verify-pack.ts';
import { described } from '../../http/openapi/described.ts';
import { byWords, ofOperators, stopWords } from '../contract.ts';
import { evidenceParts } from './evidence.ts';

// Operators' contract: evidence for somebody outside.

/** A day; blank counts as absent. */
const day = z.optional(
  z.pipe(
    z.string().check(z.regex(/^(\d{8})?$/, 'must be a day as YYYYMMDD')),
    z.transform((value: string) => value || undefined),
  ),
);

const parts = z.pipe(
  z.pipe(
    z.optional(z.string().check(z.maxLength(40))),
    z.transform((value: string | undefined) => (value ?? '').split(',').filter(Boolean)),
  ),
  z.array(z.enum(withholdable)).check(z.maxLength(withholdable.length)),
);

const scope = {
  facility: z.string().check(z.minLength(1, 'must not be blank'), z.maxLength(5)),
  route_id: blankIsAbsent(10),
  week_end: blankIsAbsent(8),
  stop_id: queryNumber(1, 32_767),
  customer: blankIsAbsent(10),
  from: day,
  until: day,
  without: parts,
};

type Scoped = {
  readonly route_id?: string | undefined;
  readonly week_end?: string | undefined;
  readonly stop_id?: number | undefined;
  readonly customer?: string | undefined;
  readonly from?: string | undefined;
  readonly until?: string | undefined;
};

/** A stop, a route, or a customer over days: the fields of one of them. */
const faults: readonly (readonly [path: string, message: string, isWrong: (query: Scoped) => boolean])[] = [
  ['route_id', 'is required without a customer', ({ route_id, customer }) => !route_id && !customer],
  ['customer', 'is not allowed with a route', ({ route_id, customer }) => Boolean(route_id && customer)],
  ['week_end', 'is required for a route', ({ route_id, week_end }) => Boolean(route_id && !week_end)],
  ['stop_id', 'is not allowed without a route', ({ route_id, stop_id }) => !route_id && stop_id !== undefined],
  ['from', 'is required for a customer', ({ customer, from }) => Boolean(customer && !from)],
  ['until', 'is required for a customer', ({ customer, until }) => Boolean(customer && !until)],
  ['until', 'must not be before from', ({ from, until }) => Boolean(from && until && until < from)],
];
const scopeChecks = faults.map(([field, error, isWrong]) =>
  z.refine<Scoped>((query) => !isWrong(query), { error, path: [field] }),
);

/** Query of the preview. */
export const previewQuery = z.object(scope).check(...scopeChecks);

/** Query of GET /api/ops/evidence. */
const evidenceQuery = z.object({ ...scope, by: blankIsAbsent(40) }).check(...scopeChecks);
export type EvidenceQuery = z.infer<typeof previewQuery>;

const missingEvidence = z.strictObject({ part: z.enum(evidenceParts), what: z.string() });

const previewedStop = z.strictObject({
  facility: z.string(),
  route_id: z.string(),
  week_end: z.string(),
  stop_id: z.int(),
  customer_name: z.string(),
  status: stopStatus,
  nothing_delivered: z.string(),
  missing: z.array(missingEvidence),
});

export const evidencePreview = z.strictObject({
  name: z.string(),
  changes: z.int(),
  files: z.int(),
  bytes: z.int(),
  left_out: z.int(),
  stops: z.array(previewedStop),
});
export type EvidencePreview = z.infer<typeof evidencePreview>;

const verifyForm = z.object({ pack: z.file() });

const evidenceFinding = z.strictObject({ code: z.enum(faultCodes), about: z.string() });

const evidenceCheck = z.strictObject({
  check: z.enum(checkNames),
  state: z.enum(checkStates),
  count: z.int(),
  findings: z.array(evidenceFinding),
});

const evidenceVerification = z.strictObject({ outcome: z.enum(outcomes), checks: z.array(evidenceCheck) });
export type EvidenceVerification = z.infer<typeof evidenceVerification>;

const ofScope = {
  ...ofOperators,
  method: 'GET',
  body: nothing,
  errors: ['ROUTE_NOT_FOUND', 'STOP_NOT_FOUND'],
} as const;

export const evidenceOperations = {
  previewEvidence: operation({
    ...ofScope,
    path: '/ops/evidence/preview',
    role: 'look',
    summary:
      'The contents of an evidence pack of a stop, a route or a customer, and its missing parts, before it is made.',
    message: 'Preview',
    query: previewQuery,
    data: evidencePreview,
  }),
  makeEvidence: operation({
    ...ofScope,
    path: '/ops/evidence',
    role: 'repair',
    summary:
      'An evidence pack: a ZIP with a PDF for people, the recorded changes byte for byte, and the files. Each pack is an act of its author.',
    message: 'Evidence pack',
    query: evidenceQuery,
    data: nothing,
    answers: 'file',
    errors: ['ROUTE_NOT_FOUND', 'STOP_NOT_FOUND', 'RATE_LIMITED'],
  }),
  verifyEvidence: operation({
    ...ofOperators,
    method: 'POST',
    path: '/ops/evidence/verify',
    role: 'look',
    summary: 'Checks an evidence pack, from any server, while it is uploaded. Nothing of it is stored.',
    message: 'Checked',
    body: nothing,
    form: verifyForm,
    query: nothing,
    data: evidenceVerification,
    errors: ['TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE', 'RATE_LIMITED'],
  }),
} as const;

const scopeWords = {
  ...stopWords,
  facility: 'Facility of the stops.',
  route_id: 'The route; absent for a customer.',
  week_end: 'Its week.',
  stop_id: 'One stop of the route; absent for all of them.',
  customer: 'The number of a customer, in place of a route.',
  from: 'For a customer: the first day of dispatch, YYYYMMDD.',
  until: 'For a customer: the last day of dispatch.',
  without:
    'Parts that the pack leaves out, separated by commas. `names`: names of people, texts that people wrote, and signatures. `photos`: all pictures. Their hashes stay.',
} as const;

export const evidenceSchemas = [
  described('EvidencePreviewQuery', previewQuery, 'A stop, a route, or a customer over days.', scopeWords),
  described('EvidenceQuery', evidenceQuery, 'A stop, a route, or a customer over days.', {
    ...scopeWords,
    by: byWords,
  }),
  described('EvidencePreview', evidencePreview, 'An evidence pack before it is made.', {
    name: 'The file name of the pack.',
    changes: 'Number of recorded changes.',
    files: 'Number of files in the pack: signatures, photos.',
    bytes: 'The size of these files.',
    left_out: 'Number of files that the pack leaves out on request.',
    stops: 'The stops in the order of the pack.',
  }),
  described('PreviewedStop', previewedStop, 'A stop of an evidence pack.', {
    ...stopWords,
    customer_name: 'The customer.',
    status: 'The present status.',
    nothing_delivered: 'A sentence that says so, for a stop without a delivery; else blank.',
    missing: 'The usual parts of such evidence that this stop lacks.',
  }),
  described('EvidenceUpload', verifyForm, 'A form with one file.', { pack: 'The file of an evidence pack.' }),
  described('EvidenceVerification', evidenceVerification, 'The result of the checks of a pack.', {
    outcome:
      '`tampered`, `unreadable` (no pack, or above 256 MiB), `unsigned` (intact, without a known signer or an outside witness), `gaps` (intact, parts are missing) or `proven`.',
    checks: 'Each check, in the order of the program tailgate-verify.',
  }),
  described('EvidenceCheck', evidenceCheck, 'One check of a pack.', {
    check: 'Its subject.',
    state:
      '`unknown`: valid, by a key that the server does not trust. `open`: something lacks and nothing is wrong. `absent`: the pack has no such proof. `unchecked`: after an earlier fault.',
    count: 'Number of things that were compared.',
    findings: 'What is wrong, or lacks; at most 50.',
  }),
  described('EvidenceFinding', evidenceFinding, 'One finding of a check.', {
    code: 'Its kind.',
    about: 'Its subject: a member, a change, a place in the file. Foreign text.',
  }),
  described('MissingEvidence', missingEvidence, 'A part that the evidence of a stop lacks.', {
    part: 'Its kind.',
    what: 'A sentence.',
  }),
];
