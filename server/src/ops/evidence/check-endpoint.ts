import { readTrust, type Trust } from '../../../verify/src/log/trust.ts';
import { nodeTools } from '../../../verify/src/node-tools.ts';
import type { Limits } from '../../../verify/src/parts.ts';
import { verifyPack, type Verification } from '../../../verify/src/verify-pack.ts';
import { SharedCounters } from '../../db/shared-counters.ts';
import type { Db, Queryable } from '../../db/types.ts';
import { opsEndpoint } from '../../http/answers/endpoint.ts';
import { formParts } from '../../http/answers/form.ts';
import { invalidInput } from '../../http/answers/validation.ts';
import { listKeys } from '../../tlog/read-log.ts';
import { AppError } from '../../wire/errors.ts';
import { evidenceOperations, type EvidenceVerification } from './contract.ts';

export interface CheckDeps {
  readonly db: Db;
  readonly clock: () => Date;
}

const hourMs = 3_600_000;
/** Of an operator, and of all programs together. */
const maxChecks = 120;
const mebibyte = 1024 ** 2;
/** Larger packs are for `tailgate-verify`: here they would hold up the phones. */
const maxPackMb = 256;
const memory: Limits = { json: 8 * mebibyte, tail: 12 * mebibyte, log: 12 * mebibyte };

/** Operators: checks a pack while it comes. Nothing of it is stored. */
export const verifyEvidence = ({ db, clock }: CheckDeps) =>
  opsEndpoint(evidenceOperations.verifyEvidence, async ({ request, caller }) => {
    const counted = caller.kind === 'operator' ? caller.id : 'programs';
    const { count, endsInMs } = await new SharedCounters(db, clock).count(`evidence checks of ${counted}`, hourMs);
    if (count > maxChecks) throw new AppError('RATE_LIMITED', { retryAfterMs: endsInMs });
    let verification: Verification | undefined;
    const trust = await ownKeys(db);
    for await (const part of formParts(request)) {
      if (part.kind !== 'file') continue;
      const bytes = limited(part.bytes);
      if (part.field === 'pack')
        verification ??= await verifyPack(unended(bytes), nodeTools, { limits: memory, trust });
      // The next part follows the last byte of this one.
      while ((await bytes.next()).done !== true);
    }
    if (!verification) throw invalidInput([{ path: 'pack', message: 'is required: the file of an evidence pack' }]);
    return { data: shownOf(verification) };
  });

/** This server trusts the logs that it keeps itself. */
async function ownKeys(db: Queryable): Promise<Trust> {
  const keys = await listKeys(db);
  return readTrust(keys.map(({ key }) => key).join('\n'), nodeTools);
}

/** The verifier ends at the first fault of an archive, and the rest of the request is still to be read. */
const unended = (bytes: AsyncGenerator<Uint8Array>): AsyncIterable<Uint8Array> => ({
  [Symbol.asyncIterator]: () => ({ next: () => bytes.next() }),
});

async function* limited(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const part of bytes) {
    size += part.length;
    if (size > maxPackMb * mebibyte)
      throw new AppError('TOO_LARGE', { message: `A pack above ${maxPackMb} MiB is for the program tailgate-verify.` });
    yield part;
  }
}

const shownOf = ({ outcome, checks }: Verification): EvidenceVerification => ({
  outcome,
  checks: checks.map(({ findings, ...check }) => ({ ...check, findings: findings.map((each) => ({ ...each })) })),
});
