import { nothing, operation, stopStatus, text } from '@tailgate/sync-protocol';
import * as z from 'zod/mini';
import { described } from '../../http/openapi/described.ts';
import { proofParts } from '../../stops/missing-parts.ts';
import { author, byWords, ofOperators } from '../contract.ts';
import { proofMail } from '../history/contract.ts';
import { opsStopParams } from '../stops/contract.ts';

// Operators' contract: the delivery summary of a stop, sent to an address that a person names.

export const proofPreview = z.strictObject({
  status: stopStatus,
  can_send: z.boolean(),
  lacks: z.array(z.enum(proofParts)),
  addresses: z.array(z.string()),
  subject: z.string(),
  text: z.string(),
  pictures: z.int(),
  proofs: z.array(proofMail),
});
export type ProofPreview = z.infer<typeof proofPreview>;

/** Body of POST …/proof. */
const proofBody = z.object({
  by: author,
  mail_id: z.uuid(),
  to: text(254),
  last_seen: z.optional(z.nullable(z.uuid())),
});
export type ProofBody = z.infer<typeof proofBody>;

/** `data` of PROOF_REQUESTED. */
const earlierProof = z.strictObject({ by: z.string(), at: z.iso.datetime() });

const ofStop = {
  ...ofOperators,
  path: '/ops/routes/:facility/:route_id/:week_end/stops/:stop_id/proof',
  params: opsStopParams,
  query: nothing,
} as const;

export const proofOperations = {
  previewProof: operation({
    ...ofStop,
    method: 'GET',
    role: 'look',
    summary: 'The delivery summary of a stop as the mail would have it now: subject, text, and what is missing.',
    message: 'Preview',
    body: nothing,
    data: proofPreview,
    errors: ['ROUTE_NOT_FOUND', 'STOP_NOT_FOUND'],
  }),
  sendProof: operation({
    ...ofStop,
    method: 'POST',
    role: 'repair',
    summary: 'Sends the delivery summary of a delivered stop to one address. The same `mail_id` sends it once.',
    message: 'The mail is on its way',
    body: proofBody,
    data: proofMail,
    errors: [
      'ROUTE_NOT_FOUND',
      'STOP_NOT_FOUND',
      'NOT_DELIVERED',
      'PROOF_REQUESTED',
      'IDEMPOTENCY_KEY_REUSED',
      'RATE_LIMITED',
    ],
    errorData: { PROOF_REQUESTED: earlierProof },
  }),
} as const;

export const proofSchemas = [
  described('ProofPreview', proofPreview, 'The delivery summary of a stop, before it is sent.', {
    status: 'The present status of the stop.',
    can_send: 'Whether the stop is delivered: only then a mail can go.',
    lacks:
      'Missing parts. `delivery`: the stop is not delivered. `receiver`, `signature`: the driver has recorded none. `files`: a named file is still on its way.',
    addresses: 'Known addresses of the store: the recipients of the delivery mail.',
    subject: 'The subject of the mail.',
    text: 'The text part of the mail.',
    pictures: 'Number of enclosed pictures: signature and photos.',
    proofs: 'Earlier requests for this stop, newest first.',
  }),
  described('EarlierProof', earlierProof, 'A request that the author has not seen.', {
    by: 'Its author.',
    at: 'Its time, UTC.',
  }),
  described('ProofBody', proofBody, 'Where the mail goes.', {
    by: byWords,
    mail_id: 'A new UUID for each mail. A repeated request with the same one sends no second mail.',
    to: 'One mail address.',
    last_seen:
      'The newest `mail_id` that the author has seen; null where there was none. With a newer one the answer is 409 with its author and time. Absent: no comparison.',
  }),
];
