import type { RouteKey } from '@tailgate/sync-protocol';
import { equalBut } from '../../stops/over-held.ts';
import type { HostStops } from './host-stops.ts';
import { HostError, isOneRowsTrouble } from '../../host/host.ts';
import type { AuditStamp } from '../../host/files/statements.ts';
import type { ServicePart } from '../../host/files/tables.ts';
import { judgeHeader } from './judge.ts';
import { servicePart } from './service-part.ts';
import { isDoubtful } from './stop-replication.ts';

type Header = ServicePart<'RTHDRP'>;

export type HeaderOutcome =
  | { readonly kind: 'confirmed'; readonly held: Header; readonly wrote: boolean }
  | { readonly kind: 'foreign' }
  | { readonly kind: 'parked'; readonly sqlstate: string; readonly reason: string; readonly payload: string };

const ROUNDS = 4;

/** Brings the service's columns of a route's own row to what the mirror says; the same rules as for a stop. */
export async function replicateHeader(
  host: HostStops,
  key: RouteKey,
  wanted: Header,
  shadow: Header | undefined,
  stamp: AuditStamp,
): Promise<HeaderOutcome> {
  // Without a shadow nobody has been told anything yet: the row is as a dispatch program inserts it.
  let held = shadow ?? { ...servicePart('RTHDRP', () => undefined), ...keyOfHeader(wanted) };
  const payload = JSON.stringify(wanted);
  try {
    for (let round = 0; round < ROUNDS; round++) {
      if (equalBut(held, wanted)) return { kind: 'confirmed', held, wrote: round > 0 };
      if (await wrote(host, wanted, held, stamp)) return { kind: 'confirmed', held: wanted, wrote: true };
      const found = (await host.readHeader(key))?.row;
      if (!found) return { kind: 'parked', sqlstate: '02000', reason: 'the host has no such route', payload };
      const verdict = judgeHeader(found, wanted, held);
      if (verdict === 'foreign') return { kind: 'foreign' };
      held = found;
    }
  } catch (error) {
    if (!(error instanceof HostError) || !isOneRowsTrouble(error)) throw error;
    return { kind: 'parked', sqlstate: error.sqlstate, reason: error.message, payload };
  }
  return { kind: 'parked', sqlstate: '40001', reason: 'the row of this route keeps changing on the host', payload };
}

async function wrote(host: HostStops, ...write: Parameters<HostStops['writeHeader']>): Promise<boolean> {
  try {
    return await host.writeHeader(...write);
  } catch (error) {
    if (error instanceof HostError && isDoubtful(error)) return false;
    throw error;
  }
}

function keyOfHeader({ RHFAC, RHRTE, RHWKE }: Header): Pick<Header, 'RHFAC' | 'RHRTE' | 'RHWKE'> {
  return { RHFAC, RHRTE, RHWKE };
}
