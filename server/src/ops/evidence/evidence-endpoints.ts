import { recordAct } from '../../acts/sql.ts';
import { SharedCounters } from '../../db/shared-counters.ts';
import { withTransaction } from '../../db/transaction.ts';
import { endpoint, opsEndpoint } from '../../http/answers/endpoint.ts';
import { AppError } from '../../wire/errors.ts';
import { authorOf } from '../acts/author.ts';
import { verifyEvidence } from './check-endpoint.ts';
import { evidenceOperations, type EvidencePreview, type EvidenceQuery } from './contract.ts';
import { linkEndpoints, type LinkDeps } from './links/links.ts';
import { answerWith, boundedPack, filesOf, placeOf, scopeOf, sizeOf } from './make-pack.ts';
import { nameOf, subjectOf } from './pack/names.ts';
import type { PackInput } from './pack/pack.ts';
import { readEvidence } from './read-evidence.ts';

export type EvidenceDeps = LinkDeps;

const hourMs = 3_600_000;
/** A clerk makes one a minute at most; a program with a stolen token makes no more. */
const maxOfAuthor = 60;

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
  const input = await boundedPack(deps, query);
  const { scope, evidence, without } = input;
  if (author.takes) await recordMaking(deps, { scope, stops: evidence.stops.length, without }, author);
  return input;
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
      act: 'makeEvidence',
      subject: { kind: 'evidence', id: subjectOf(scope) },
      place: placeOf(scope),
      reason: '',
      before: null,
      after: { without, stops },
    });
  });
}

/** Operators: evidence of what was delivered. */
export function evidenceEndpoints(deps: EvidenceDeps) {
  return {
    ...linkEndpoints(deps),
    verifyEvidence: verifyEvidence(deps),

    previewEvidence: endpoint(evidenceOperations.previewEvidence, async ({ query }) => ({
      data: await previewEvidence(deps, query),
    })),

    makeEvidence: opsEndpoint(evidenceOperations.makeEvidence, async ({ request, query, caller }) => {
      const name = authorOf(caller, query.by);
      const counted = caller.kind === 'operator' ? name : 'programs';
      const input = await beginPack(deps, query, { name, counted, takes: request.method === 'GET' });
      return answerWith(deps, input, request);
    }),
  };
}
