import { nothing, operation, text } from '@tailgate/sync-protocol';
import * as z from 'zod/mini';
import { described } from '../../../http/openapi/described.ts';
import { author, byWords, decided, ofOperators, placeQuery, requiredText, stopWords, tagged } from '../../contract.ts';
import { previewQuery } from '../contract.ts';

// Operators' contract: links to evidence packs, and the one operation of their recipients.

const withoutAll = z.string();

export const linkItem = z.strictObject({
  link_id: z.string(),
  subject: z.string(),
  facility: z.string(),
  route_id: z.nullable(z.string()),
  week_end: z.nullable(z.string()),
  stop_id: z.nullable(z.int()),
  without: withoutAll,
  note: z.string(),
  created_at: z.iso.datetime(),
  created_by: z.string(),
  expires_at: z.iso.datetime(),
  taken_at: z.nullable(z.iso.datetime()),
  revoked_at: z.nullable(z.iso.datetime()),
  revoked_by: z.nullable(z.string()),
});
export type LinkItem = z.infer<typeof linkItem>;

const newLink = z.strictObject({ ...linkItem.shape, secret: z.string() });

const linkBody = z.object({
  by: author,
  note: requiredText(200),
  /** Days until it expires; a week by default. */
  days: z._default(z.int().check(z.gte(1), z.lte(30)), 7),
});
export type LinkBody = z.infer<typeof linkBody>;

const linkQuery = placeQuery();

const linkParams = z.object({ link_id: z.uuid() });
const revocationBody = z.object({ by: author });

const takingBody = z.object({
  secret: text(43).check(z.regex(/^[\w-]{43}$/, 'must be 43 characters of base64url')),
});

export const linkOperations = {
  listEvidenceLinks: operation({
    ...ofOperators,
    ...tagged,
    method: 'GET',
    path: '/ops/evidence/links',
    role: 'look',
    summary:
      'Links to evidence packs of the last 90 days, 500 at most: those that can still be used, then the others, the newest first. Their secrets are not stored.',
    message: 'Links',
    body: nothing,
    query: linkQuery,
    data: z.array(linkItem),
    errors: [],
  }),
  makeEvidenceLink: operation({
    ...ofOperators,
    method: 'POST',
    path: '/ops/evidence/links',
    role: 'repair',
    summary:
      'Makes a link by which somebody without an account takes an evidence pack, once. Only this answer contains its secret.',
    message: 'Link made',
    body: linkBody,
    query: previewQuery,
    data: newLink,
    errors: ['ROUTE_NOT_FOUND', 'STOP_NOT_FOUND', 'RATE_LIMITED'],
  }),
  revokeEvidenceLink: operation({
    ...ofOperators,
    method: 'POST',
    path: '/ops/evidence/links/:link_id/revoke',
    role: 'repair',
    params: linkParams,
    summary: 'Ends a link that is not used yet.',
    message: 'Revoked',
    body: revocationBody,
    query: nothing,
    data: linkItem,
    ...decided('NOT_FOUND'),
  }),
  takeEvidence: operation({
    sets: ['current'],
    access: 'public',
    method: 'POST',
    path: '/evidence/take',
    summary: 'The evidence pack of a link, once. The record is the one of this moment.',
    message: 'Evidence pack',
    body: takingBody,
    query: nothing,
    data: nothing,
    answers: 'file',
    errors: ['NOT_FOUND', 'RATE_LIMITED'],
  }),
} as const;

const itemWords = {
  ...stopWords,
  link_id: 'The id of the link; it is not the secret.',
  subject: 'The name of the scope, as in the acts.',
  without: 'The left-out parts: `names`, `photos`, separated by commas.',
  note: 'For whom it is.',
  created_at: 'UTC.',
  created_by: 'The author.',
  expires_at: 'The end of its validity, UTC.',
  taken_at: 'When the pack was taken; null before.',
  revoked_at: 'When it was revoked; null where it was not.',
  revoked_by: 'The operator who revoked it.',
};

export const linkSchemas = [
  described('EvidenceLinkBody', linkBody, 'The recipient of a link.', {
    by: byWords,
    note: 'For whom it is: a name, a case number.',
    days: 'The days of its validity.',
  }),
  described('EvidenceLink', linkItem, 'A link without its secret.', itemWords),
  described('NewEvidenceLink', newLink, 'A link, with its secret this once.', {
    ...itemWords,
    secret: 'The address of the page is `/evidence/#` and this. Only its hash is stored.',
  }),
  described('EvidenceLinkQuery', linkQuery, 'Which links. Without a field: all.', {
    facility: 'Those to records of this facility.',
    route_id: 'Those to this route, or to one of its stops.',
    week_end: 'The week of the route.',
    stop_id: 'Those to this stop, or to its route.',
  }),
  described('EvidenceLinkParams', linkParams, 'The key of a link.', { link_id: 'As in the list.' }),
  described('EvidenceRevocation', revocationBody, 'The author of the revocation.', { by: byWords }),
  described('EvidenceTaking', takingBody, 'The secret of a link.', {
    secret: 'The part of the address behind `#`. It is exchanged once.',
  }),
];
