import type { Config } from '../../config.ts';
import type { Log } from '../../log.ts';
import { HostError, type Host } from './host.ts';
import { openStandIn } from './postgres.ts';

export type HostTarget = Pick<Config, 'legacyUrl' | 'legacyLibrary'>;

/**
 * Connects to the host that the settings name.
 * @param databaseUrl our own PostgreSQL, which also holds the stand-in's library where LEGACY_URL is unset
 * @param program the connection's name on the host; what is not the service itself rings the doorbell
 */
export async function openHost(target: HostTarget, databaseUrl: string, log: Log, program?: string): Promise<Host> {
  const { legacyUrl = databaseUrl, legacyLibrary: library } = target;
  if (isDb2(legacyUrl)) {
    throw new HostError(
      '42724',
      'LEGACY_URL names Db2, whose driver is not part of this version yet: unset it, or name a stand-in (postgres://…)',
    );
  }
  return openStandIn({ url: legacyUrl, library, log, ...(program === undefined ? {} : { program }) });
}

function isDb2(legacyUrl: string): boolean {
  return !/^postgres(ql)?:/.test(legacyUrl);
}
