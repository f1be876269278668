import rateLimit, { normalizeIP } from '@fastify/rate-limit';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { AddressFailures } from '../../auth/proof.ts';
import type { SharedCounters } from '../../db/shared-counters.ts';

/** A limit for one address in a window of time. All nodes count together. */
export interface RateLimit {
  /** Separates its counters from those of other limits. */
  readonly name: string;
  readonly max: number;
  readonly windowMs: number;
}

/** The use of a limit by an address. */
export interface Used {
  readonly isExceeded: boolean;
  /** The remaining number. */
  readonly left: number;
  /** Until the window ends. */
  readonly waitMs: number;
}

export interface AddressLimit {
  /** Counts this request. */
  count(request: FastifyRequest): Promise<Used>;
  /** Reads without counting. */
  look(request: FastifyRequest): Promise<Used>;
}

/** Makes limits by address. Only handlers that need one use it, so an ordinary request costs no statement more. */
export type CreateLimit = (limit: RateLimit) => AddressLimit;

/**
 * The address of a caller under TRUST_PROXY: an IPv4 address, or the /64 network of an IPv6 one, because a single
 * customer has all of its addresses.
 */
export const addressOf = ({ ip }: Pick<FastifyRequest, 'ip'>): string => normalizeIP(ip);

/** Failed sign-ins from the address of a request. */
export function addressFailuresOf(failures: AddressLimit, request: FastifyRequest): AddressFailures {
  return {
    waitMs: async () => {
      const { left, waitMs } = await failures.look(request);
      return left > 0 ? 0 : waitMs;
    },
    countFailure: async () => void (await failures.count(request)),
  };
}

export async function openRateLimits(app: FastifyInstance, counters: SharedCounters): Promise<CreateLimit> {
  await app.register(rateLimit, { global: false, store: storeOn(counters) });
  return ({ name, max, windowMs }) => {
    const ask = app.createRateLimit({
      max,
      timeWindow: windowMs,
      keyGenerator: (request) => `${name} ${addressOf(request)}`,
    });
    const use = async (request: FastifyRequest, increment: boolean): Promise<Used> => {
      const answer = await ask(request, { increment });
      if (answer.isAllowed) throw new Error('no address is exempt from this limit');
      return { isExceeded: answer.isExceeded, left: answer.remaining, waitMs: answer.ttl };
    };
    return { count: (request) => use(request, true), look: (request) => use(request, false) };
  };
}

type ReportCount = (error: Error | null, result?: { current: number; ttl: number }) => void;

/** The plugin's store on counters in the database. The keys already separate the limits. */
function storeOn(counters: SharedCounters) {
  return class SharedStore {
    incr(key: string, report: ReportCount, windowMs: number): void {
      reportCount(counters.count(key, windowMs), report);
    }

    read(key: string, report: ReportCount): void {
      reportCount(counters.read(key), report);
    }

    child(): SharedStore {
      return this;
    }
  };
}

function reportCount(read: ReturnType<SharedCounters['read']>, report: ReportCount): void {
  read.then(
    ({ count, endsInMs }) => report(null, { current: count, ttl: endsInMs }),
    (error: unknown) =>
      report(error instanceof Error ? error : new Error('the counters cannot be read', { cause: error })),
  );
}
