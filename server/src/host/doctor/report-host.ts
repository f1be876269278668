import type { Log } from '../../runtime/log.ts';
import { HostError, type Host } from '../host.ts';
import type { CheckSettings } from './checks.ts';
import { unreachable } from './connection.ts';
import { examine, type Diagnosis } from './examine.ts';

/**
 * The doctor's short form, for the log of a worker: a warning for each NO-GO and each question that the host refused. It never
 * fails, and the start does not wait for it.
 *
 * @param signal ends it behind the question in progress, and silently
 * @returns undefined where the signal has ended it, or an error that is not the host's
 */
export async function reportHost(
  host: Host,
  settings: CheckSettings,
  { now, log, signal }: { readonly now: () => Date; readonly log: Log; readonly signal?: AbortSignal },
): Promise<Diagnosis | undefined> {
  try {
    const { go, findings } = await examine(until(signal, host), settings, { now, form: 'short' });
    for (const { check, level, says, todo } of findings) {
      if (level === 'no_go') log.warn({ check, todo }, `the host is not set up for the service: ${says}`);
      if (level === 'unknown') log.warn({ check, todo }, says);
    }
    if (go) log.debug({ checks: findings.length }, 'the host is set up for the service');
    return { go, findings };
  } catch (err) {
    if (signal?.aborted) return undefined;
    log.warn({ err }, 'the set-up of the host could not be checked: npm run ops -- doctor');
    return err instanceof HostError ? unreachable(err) : undefined;
  }
}

/** A host that answers no question after the signal. */
function until(signal: AbortSignal | undefined, host: Host): Host {
  const asked = <Answer>(ask: () => Promise<Answer>): Promise<Answer> =>
    signal?.aborted ? Promise.reject(new HostError('08003', 'the service stops')) : ask();
  return {
    ...host,
    ping: () => asked(() => host.ping()),
    describe: (file) => asked(() => host.describe(file)),
    query: (sql, parameters) => asked(() => host.query(sql, parameters)),
  };
}
