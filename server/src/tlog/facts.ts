import type { Tx } from '../db/types.ts';
import * as sql from './facts-sql.ts';
import { SERVICE, type Fact } from './log.ts';

/** A change with its place, so that the progress of its route is known. */
export interface RouteFact extends Fact {
  readonly route?: {
    readonly route_id: string;
    readonly week_end: string;
    /** Of a change. */
    readonly version?: number;
    /** Of a confirmation by the host. */
    readonly confirmed?: Date;
  };
}

/** The facts to look for. */
export interface Wanted {
  readonly facility: string;
  /** The routes with changes; undefined: all. */
  readonly routes: readonly sql.RouteName[] | undefined;
  /** Facts without a route are found by their time. */
  readonly since: Date;
  readonly limit: number;
}

/** Reads facts without a leaf, at most `limit` of each kind. */
export async function waitingFacts(tx: Tx, { facility, routes, since, limit }: Wanted): Promise<RouteFact[]> {
  const timed = [since, limit];
  const facts: RouteFact[] = [];
  if (facility === SERVICE) {
    facts.push(...(await tx.query<MutationRow>(sql.reports, timed)).rows.map(mutationFact));
    facts.push(...(await tx.query<FileRow>(sql.files, timed)).rows.map(fileFact));
    facts.push(...(await tx.query<IncidentRow>(sql.incidents, timed)).rows.map(incidentFact));
  } else {
    const changes = routes
      ? await tx.query<MutationRow>(sql.mutationsOfRoutes, [
          facility,
          limit,
          ...sql.mutationsOfRoutes.parameters(routes),
        ])
      : await tx.query<MutationRow>(sql.mutationsOfFacility, [facility, limit]);
    facts.push(...changes.rows.map(mutationFact));
    const confirmed = routes
      ? await tx.query<HostRow>(sql.confirmationsOfRoutes, [
          facility,
          limit,
          ...sql.confirmationsOfRoutes.parameters(routes),
        ])
      : await tx.query<HostRow>(sql.confirmationsOfFacility, [facility, limit]);
    facts.push(...confirmed.rows.map(hostFact));
    facts.push(...(await tx.query<MailRow>(sql.mails, [...timed, facility])).rows.map(mailFact));
  }
  facts.push(...(await tx.query<ActRow>(sql.acts, [...timed, facility])).rows.map(actFact));
  facts.push(...(await tx.query<ErasureRow>(sql.erasures, [...timed, facility])).rows.map(erasureFact));
  return facts;
}

interface MutationRow extends Record<string, unknown> {
  readonly id: string;
  readonly route_id: string;
  readonly week_end: string;
  readonly stop_id: number;
  readonly version: number;
  readonly source: string;
  readonly client_id: string | null;
  readonly seq: number | null;
  readonly hash: string;
  readonly prev_hash: string | null;
  readonly employee: string;
  readonly captured_at: Date | null;
  readonly edit_time: Date;
  readonly received_at: Date;
  readonly result: string;
  readonly warnings: string | null;
}

const moment = (at: Date | null): string | null => at?.toISOString() ?? null;

/** Codes only: a message may repeat what a driver wrote. */
const codesOf = (warnings: string | null): readonly string[] => parseWarnings(warnings ?? '[]').map(({ code }) => code);
const parseWarnings: (text: string) => readonly { readonly code: string }[] = JSON.parse;

function mutationFact(row: MutationRow): RouteFact {
  const { id, route_id, week_end, stop_id, version, source, client_id, seq, hash, prev_hash, result } = row;
  const hasRoute = route_id !== '';
  return {
    kind: 'mutation',
    source: id,
    at: row.received_at,
    fields: {
      hash,
      prev_hash,
      client: client_id,
      seq,
      source,
      ...(hasRoute && { route: route_id, week_end, stop: stop_id }),
      version,
      captured: moment(row.captured_at),
      edited: moment(row.edit_time),
      result,
      warnings: codesOf(row.warnings),
    },
    personal: { employee: row.employee },
    ...(hasRoute && { route: { route_id, week_end, version } }),
  };
}

interface FileRow extends Record<string, unknown> {
  readonly id: string;
  readonly sha256: string;
  readonly size: number;
  readonly received_at: Date;
}

const fileFact = ({ id, sha256, size, received_at }: FileRow): Fact => ({
  kind: 'file',
  source: id,
  at: received_at,
  fields: { sha256, size },
});

interface MailRow extends Record<string, unknown> {
  readonly id: string;
  readonly sent_at: Date;
}

const mailFact = ({ id, sent_at }: MailRow): Fact => ({ kind: 'mail', source: id, at: sent_at, fields: {} });

interface ActRow extends Record<string, unknown> {
  readonly id: string;
  readonly at: Date;
  readonly by: string;
  readonly act: string;
  readonly subject_kind: string;
  readonly subject: string;
  readonly route_id: string | null;
  readonly week_end: string | null;
  readonly stop_id: number | null;
  readonly employee: string | null;
  readonly reason: string;
  readonly before: string | null;
  readonly after: string | null;
}

const actFact = ({ id, at, act, subject_kind, route_id, week_end, stop_id, ...row }: ActRow): Fact => ({
  kind: 'act',
  source: id,
  at,
  fields: { act, subject_kind, ...(route_id !== null && { route: route_id, week_end, stop: stop_id }) },
  personal: {
    by: row.by,
    subject: row.subject,
    employee: row.employee,
    reason: row.reason,
    before: row.before,
    after: row.after,
  },
});

interface HostRow extends Record<string, unknown> {
  readonly id: string;
  readonly route_id: string;
  readonly week_end: string;
  readonly stop_id: number;
  readonly sequence: number;
  readonly confirmed_at: Date;
  readonly trace: string | null;
}

/** Sequences of the host are epoch and version. */
const VERSIONS_AN_EPOCH = 10_000_000_000;

const hostFact = ({ id, route_id, week_end, stop_id, sequence, confirmed_at, trace }: HostRow): RouteFact => ({
  kind: 'host',
  source: id,
  at: confirmed_at,
  fields: { route: route_id, week_end, stop: stop_id, version: sequence % VERSIONS_AN_EPOCH, sequence, trace },
  route: { route_id, week_end, confirmed: confirmed_at },
});

interface ErasureRow extends Record<string, unknown> {
  readonly id: string;
  readonly at: Date;
  readonly kind: string;
  readonly rule: string;
  readonly sources: readonly string[];
}

const erasureFact = ({ id, at, kind, rule, sources }: ErasureRow): Fact => ({
  kind: 'erased',
  source: id,
  at,
  fields: { fact: kind, ids: sources, rule },
});

interface IncidentRow extends Record<string, unknown> {
  readonly id: string;
  readonly at: Date;
  readonly kind: string;
  readonly client_id: string | null;
  readonly employee: string | null;
  readonly details: string;
}

const incidentFact = ({ id, at, kind, client_id, employee, details }: IncidentRow): Fact => ({
  kind: 'incident',
  source: id,
  at,
  fields: { incident: kind, client: client_id },
  personal: { employee, details },
});
