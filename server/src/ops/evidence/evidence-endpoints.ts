import { create as contentDisposition } from 'content-disposition';
import { recordAct, type Act } from '../../acts/sql.ts';
import { SharedCounters } from '../../db/shared-counters.ts';
import { withTransaction } from '../../db/transaction.ts';
import { endpoint, opsEndpoint } from '../../http/answers/endpoint.ts';
import { bodyOf } from '../../http/answers/file-answer.ts';
import { RawAnswer } from '../../http/answers/raw-answer.ts';
import { invalidInput } from '../../http/answers/validation.ts';
import { AppError } from '../../wire/errors.ts';
import { authorOf } from '../acts/author.ts';
import { verifyEvidence } from './check-endpoint.ts';
import { evidenceOperations, type EvidencePreview, type EvidenceQuery } from './contract.ts';
import type { EvidenceFile } from './evidence.ts';
import { nameOf, subjectOf } from './pack/names.ts';
import { packBytes, type PackInput } from './pack/pack.ts';
import { makingAct, readEvidence, type Evidence, type EvidenceSource, type Scope } from './read-evidence.ts';

export interface EvidenceDeps extends EvidenceSource {
  readonly clock: () => Date;
}

const hourMs = 3_600_000;
/** A clerk makes one a minute at most; a program with a stolen token makes no more. */
const maxOfAuthor = 60;
/** The archive and its document have 32-bit sizes, and both contain the pictures. */
const maxFileBytes = 1.5 * 1024 ** 3;

function scopeOf({ facility, route_id, week_end, stop_id, customer, from, until }: EvidenceQuery): Scope {
  if (customer !== undefined && from !== undefined && until !== undefined)
    return { kind: 'customer', facility, customer, from, until };
  // The contract has checked that a route has both.
  const route = { facility, id: route_id ?? '', week_end: week_end ?? '' };
  return stop_id === undefined ? { kind: 'route', route } : { kind: 'stop', route, stop: stop_id };
}

/** The files of a pack, each once. */
function filesOf({ stops }: Evidence): EvidenceFile[] {
  return [...new Map(stops.flatMap(({ files }) => files.map((file) => [file.asset_id, file]))).values()];
}

const sizeOf = (files: readonly EvidenceFile[]): number => files.reduce((sum, { size }) => sum + size, 0);

async function previewEvidence(deps: EvidenceDeps, query: EvidenceQuery): Promise<EvidencePreview> {
  const scope = scopeOf(query);
  const evidence = await readEvidence(deps, scope, new Set(query.without));
  const files = filesOf(evidence);
  const included = files.filter(({ member }) => member !== null);
  return {
    name: nameOf(scope, query.without),
    changes: evidence.stops.reduce((sum, { facts }) => sum + facts.length, 0),
    files: included.length,
    bytes: sizeOf(included),
    left_out: files.filter(({ state, member }) => state === 'here' && member === null).length,
    stops: evidence.stops.map(({ place, status, summary, nothing_delivered, missing }) => ({
      facility: place.facility,
      route_id: place.route_id,
      week_end: place.week_end,
      stop_id: place.stop_id,
      customer_name: summary.customer,
      status,
      nothing_delivered,
      missing: [...missing],
    })),
  };
}

/** Reads the evidence, and records that it leaves the house. */
async function beginPack(deps: EvidenceDeps, query: EvidenceQuery, author: Author): Promise<PackInput> {
  const scope = scopeOf(query);
  const evidence = await readEvidence(deps, scope, new Set(query.without));
  if (sizeOf(filesOf(evidence).filter(({ member }) => member !== null)) > maxFileBytes) {
    const path = scope.kind === 'customer' ? 'until' : 'without';
    throw invalidInput([{ path, message: 'the files have more than 1.5 GiB: ask for fewer days, or without photos' }]);
  }
  if (author.takes) await recordMaking(deps, { scope, stops: evidence.stops.length, without: query.without }, author);
  return { scope, evidence, without: query.without };
}

interface Author {
  readonly name: string;
  /** A person, or all programs together. */
  readonly counted: string;
  /** Whether the author takes the bytes: HEAD asks for the headers alone. */
  readonly takes: boolean;
}

interface Making extends Pick<PackInput, 'scope' | 'without'> {
  readonly stops: number;
}

async function recordMaking(
  { db, clock }: EvidenceDeps,
  { scope, stops, without }: Making,
  author: Author,
): Promise<void> {
  await withTransaction(db, async (tx) => {
    const { count, endsInMs } = await new SharedCounters(tx, clock).count(`evidence of ${author.counted}`, hourMs);
    if (count > maxOfAuthor) throw new AppError('RATE_LIMITED', { retryAfterMs: endsInMs });
    await recordAct(tx, {
      by: author.name,
      act: makingAct,
      subject: { kind: 'evidence', id: subjectOf(scope) },
      place: placeOf(scope),
      reason: '',
      before: null,
      after: { without, stops },
    });
  });
}

function placeOf(scope: Scope): Act['place'] {
  if (scope.kind === 'customer') return undefined;
  const { facility, id: route, week_end: weekEnd } = scope.route;
  return { facility, route, weekEnd, stop: scope.kind === 'stop' ? scope.stop : null };
}

/** Operators: evidence of what was delivered. */
export function evidenceEndpoints(deps: EvidenceDeps) {
  return {
    verifyEvidence: verifyEvidence(deps),

    previewEvidence: endpoint(evidenceOperations.previewEvidence, async ({ query }) => ({
      data: await previewEvidence(deps, query),
    })),

    makeEvidence: opsEndpoint(evidenceOperations.makeEvidence, async ({ request, query, caller }) => {
      const name = authorOf(caller, query.by);
      const counted = caller.kind === 'operator' ? name : 'programs';
      const input = await beginPack(deps, query, { name, counted, takes: request.method === 'GET' });
      const headers = {
        'content-type': 'application/zip',
        'content-disposition': contentDisposition(nameOf(input.scope, input.without)),
        // It contains names, and each making is an act.
        'cache-control': 'private, no-store',
        'x-content-type-options': 'nosniff',
      };
      return new RawAnswer(
        200,
        headers,
        bodyOf(request, () => packBytes(deps.db, input)),
      );
    }),
  };
}
