import type { Readiness } from '@tailgate/sync-protocol';
import { operations } from '@tailgate/sync-protocol';
import type { Log } from '../../runtime/log.ts';
import { within } from '../../runtime/single-flight.ts';
import { endpoint } from '../answers/endpoint.ts';
import { AppError } from '../../wire/errors.ts';

/** A dependency of this node. */
export interface Probe {
  readonly name: string;
  /**
   * Whether this node should get no requests while the dependency is missing. The legacy host is not required: drivers
   * work on without it (I14), and otherwise a load balancer would take out every node.
   */
  readonly required: boolean;
  /** Rejects where the dependency is missing. */
  readonly check: () => Promise<unknown>;
}

/**
 * A dependency that does not answer in time counts as missing. The time is shorter than the timeout of a usual monitor.
 */
const answerTimeoutMs = 2_000;

export interface HealthDeps {
  readonly probes: readonly Probe[];
  /** Warnings for the operator, one sentence each: parts that work, but not as they should. */
  readonly remarks: () => Promise<readonly string[]>;
  readonly version: string;
  readonly clock: () => Date;
  readonly log: Log;
}

/** Contract §7. */
export function healthEndpoints({ probes, remarks, version, clock, log }: HealthDeps) {
  const startedAt = clock().getTime();
  const uptime = (): number => Math.max(0, Math.floor((clock().getTime() - startedAt) / 1000));
  return {
    health: endpoint(operations.health, async () => ({ data: { version, uptime_s: uptime() } })),

    readiness: endpoint(operations.readiness, async () => {
      const states = await Promise.all(probes.map((probe) => stateOf(probe, log)));
      const data: Readiness = Object.fromEntries(states);
      const missing = states.filter(([, { ok }]) => !ok).map(([name]) => name);
      if (states.some(([, { ok, required }]) => required && !ok))
        throw new AppError('DATABASE_UNAVAILABLE', { message: `not ready: ${missing.join(', ')}`, data });
      const without = missing.length === 0 ? [] : [`ready, without ${missing.join(', ')}`];
      const sentences = await remarksOf(remarks, log);
      if (without.length + sentences.length === 0) return { data };
      return { data, message: [...(without.length > 0 ? without : ['ready']), ...sentences].join('; ') };
    }),
  };
}

async function remarksOf(remarks: HealthDeps['remarks'], log: Log): Promise<readonly string[]> {
  try {
    return await within(answerTimeoutMs, 'it', remarks());
  } catch (err) {
    log.warn({ err }, 'the remarks of readiness cannot be read');
    return [];
  }
}

async function stateOf({ name, required, check }: Probe, log: Log): Promise<[string, Readiness[string]]> {
  try {
    await within(answerTimeoutMs, 'it', check());
    return [name, { ok: true, required }];
  } catch (err) {
    // The cause may contain addresses and users, so it goes to the log and not to the caller.
    log.warn({ err, dependency: name }, 'a dependency is missing');
    return [name, { ok: false, required }];
  }
}
