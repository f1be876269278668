import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { recordAct } from '../../../acts/sql.ts';
import { SharedCounters } from '../../../db/shared-counters.ts';
import { withTransaction } from '../../../db/transaction.ts';
import type { Db, Queryable } from '../../../db/types.ts';
import { endpoint, opsEndpoint } from '../../../http/answers/endpoint.ts';
import type { AddressLimit, CreateLimit } from '../../../http/server/rate-limits.ts';
import { AppError } from '../../../wire/errors.ts';
import { authorOf } from '../../acts/author.ts';
import { inTurn, latestAct, refuseSecond } from '../../acts/in-turn.ts';
import type { PlaceQuery } from '../../contract.ts';
import type { EvidenceQuery } from '../contract.ts';
import { answerWith, boundedPack, placeOf, scopeOf, type PackSource } from '../make-pack.ts';
import { subjectOf } from '../pack/names.ts';
import { linkOperations, type LinkBody, type LinkItem } from './contract.ts';
import * as sql from './links-sql.ts';

export interface LinkDeps extends PackSource {
  readonly limit: CreateLimit;
}

const dayMs = 86_400_000;
const hourMs = 3_600_000;
/** Of an operator, and of all programs together. */
const maxLinks = 60;

interface LinkRow extends Record<string, unknown> {
  readonly link_id: string;
  readonly facility: string;
  readonly route_id: string | null;
  readonly week_end: string | null;
  readonly stop_id: number | null;
  readonly customer: string | null;
  readonly from_day: string | null;
  readonly until_day: string | null;
  readonly without: string;
  readonly note: string;
  readonly created_at: Date;
  readonly created_by: string;
  readonly expires_at: Date;
  readonly taken_at: Date | null;
  readonly revoked_at: Date | null;
  readonly revoked_by: string | null;
}

const hashOf = (secret: string): Buffer => createHash('sha256').update(secret).digest();

function queryOf(row: LinkRow): EvidenceQuery {
  const { facility, route_id, week_end, stop_id, customer, from_day, until_day, without } = row;
  return {
    facility,
    route_id: route_id ?? undefined,
    week_end: week_end ?? undefined,
    stop_id: stop_id ?? undefined,
    customer: customer ?? undefined,
    from: from_day ?? undefined,
    until: until_day ?? undefined,
    without: withheldOf(without),
  };
}

const withheldOf = (text: string): EvidenceQuery['without'] =>
  (['names', 'photos'] as const).filter((part) => text.split(',').includes(part));

function itemOf(row: LinkRow): LinkItem {
  const { link_id, facility, route_id, week_end, stop_id, without, note, created_by, revoked_by } = row;
  return {
    ...{ link_id, subject: subjectOf(scopeOf(queryOf(row))), facility, route_id, week_end, stop_id, without, note },
    created_at: row.created_at.toISOString(),
    created_by,
    expires_at: row.expires_at.toISOString(),
    taken_at: row.taken_at?.toISOString() ?? null,
    revoked_at: row.revoked_at?.toISOString() ?? null,
    revoked_by,
  };
}

async function listLinks(
  db: Queryable,
  { facility, route_id, week_end, stop_id }: PlaceQuery,
  now: Date,
): Promise<LinkItem[]> {
  const values = [facility ?? null, now, route_id ?? null, week_end ?? null, stop_id ?? null];
  return (await db.query<LinkRow>(sql.listLinks, values)).rows.map(itemOf);
}

/** Stores a link and its act. @returns the link with its secret, which is not stored */
async function makeLink(
  { db, clock }: LinkDeps,
  query: EvidenceQuery,
  { by, counted, note, days }: { readonly by: string; readonly counted: string } & Pick<LinkBody, 'note' | 'days'>,
): Promise<LinkItem & { readonly secret: string }> {
  const secret = randomBytes(32).toString('base64url');
  const now = clock();
  const scope = scopeOf(query);
  return withTransaction(db, async (tx) => {
    const { count, endsInMs } = await new SharedCounters(tx, clock).count(`evidence links of ${counted}`, hourMs);
    if (count > maxLinks) throw new AppError('RATE_LIMITED', { retryAfterMs: endsInMs });
    const { facility, route_id, week_end, stop_id, customer, from, until, without } = query;
    const values = [
      ...[randomUUID(), hashOf(secret), facility, route_id, week_end, stop_id, customer, from, until],
      ...[without.join(','), note, now, by, new Date(now.getTime() + days * dayMs)],
    ];
    const { rows } = await tx.query<LinkRow>(
      sql.insertLink,
      values.map((value) => value ?? null),
    );
    const [row] = rows;
    if (!row) throw new Error('the inserted link came back as no row');
    const item = itemOf(row);
    await recordAct(tx, {
      by,
      act: 'makeEvidenceLink',
      subject: { kind: 'evidence', id: item.subject },
      place: placeOf(scope),
      reason: note,
      before: null,
      after: { link_id: item.link_id, without, expires_at: item.expires_at },
    });
    return { ...item, secret };
  });
}

/** @returns undefined without such a link, or where it is used or expired */
function revokeLink(db: Db, id: string, { by, now, ...turn }: Revoking): Promise<LinkItem | undefined> {
  const subject = { kind: 'evidence', id } as const;
  return inTurn(db, subject, async (tx) => {
    const { rows } = await tx.query<LinkRow>(sql.revokeLink, [id, now, by]);
    const [row] = rows;
    if (!row) {
      refuseSecond(turn, await latestAct(tx, subject, ['revokeEvidenceLink']));
      return undefined;
    }
    await recordAct(tx, {
      by,
      act: 'revokeEvidenceLink',
      subject,
      place: placeOf(scopeOf(queryOf(row))),
      reason: '',
      before: { expires_at: row.expires_at },
      after: { revoked_at: now },
    });
    return itemOf(row);
  });
}

/** Marks a link as used, and stores the act: the pack leaves the house. @throws AppError NOT_FOUND to a second request */
function takeLink(
  { db, clock }: LinkDeps,
  secret: string,
  { row, stops }: { readonly row: LinkRow; readonly stops: number },
): Promise<void> {
  const scope = scopeOf(queryOf(row));
  return withTransaction(db, async (tx) => {
    const taken = await tx.query(sql.takeLink, [hashOf(secret), clock()]);
    if (taken.rowCount !== 1) throw noLink();
    await recordAct(tx, {
      by: `link:${row.link_id}`,
      act: 'takeEvidence',
      subject: { kind: 'evidence', id: subjectOf(scope) },
      place: placeOf(scope),
      reason: row.note,
      before: null,
      after: { link_id: row.link_id, without: withheldOf(row.without), stops },
    });
  });
}

type Revoking = { readonly by: string; readonly now: Date } & Parameters<typeof refuseSecond>[0];

const noLink = (): AppError =>
  new AppError('NOT_FOUND', { message: 'This link was used, revoked or has expired. Ask its sender for another one.' });

async function refuseFlood(taking: AddressLimit, request: Parameters<AddressLimit['count']>[0]): Promise<void> {
  const { isExceeded, waitMs } = await taking.count(request);
  if (isExceeded) throw new AppError('RATE_LIMITED', { retryAfterMs: waitMs });
}

/** Links to evidence packs. The secret is in the part of an address that browsers do not send. */
export function linkEndpoints(deps: LinkDeps) {
  const { db, clock } = deps;
  const taking = deps.limit({ name: 'taken evidence', max: 20, windowMs: 60_000 });
  return {
    listEvidenceLinks: endpoint(linkOperations.listEvidenceLinks, async ({ query }) => ({
      data: await listLinks(db, query, clock()),
    })),

    makeEvidenceLink: opsEndpoint(linkOperations.makeEvidenceLink, async ({ query, body, caller }) => {
      const by = authorOf(caller, body.by);
      const counted = caller.kind === 'operator' ? by : 'programs';
      // A link to nothing, or to too much, is refused now and not before its recipient.
      await boundedPack(deps, query);
      return { data: await makeLink(deps, query, { ...body, by, counted }) };
    }),

    revokeEvidenceLink: opsEndpoint(linkOperations.revokeEvidenceLink, async ({ params, body, caller }) => {
      const by = authorOf(caller, body.by);
      const revoked = await revokeLink(db, params.link_id, { by, now: clock(), caller });
      if (!revoked) throw new AppError('NOT_FOUND');
      return { data: revoked };
    }),

    takeEvidence: endpoint(linkOperations.takeEvidence, async ({ request, body: { secret } }) => {
      await refuseFlood(taking, request);
      const { rows } = await db.query<LinkRow>(sql.findLink, [hashOf(secret), clock()]);
      const [row] = rows;
      if (!row) throw noLink();
      // A pack that cannot be made uses up no link.
      const input = await boundedPack(deps, queryOf(row));
      await takeLink(deps, secret, { row, stops: input.evidence.stops.length });
      return answerWith(deps, input, request);
    }),
  };
}
