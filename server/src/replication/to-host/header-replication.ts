import type { RouteKey } from '@tailgate/sync-protocol';
import { equalExcept } from '../../stops/confirmed-rows.ts';
import type { AuditStamp } from '../../host/files/statements.ts';
import type { ServicePart } from '../../host/files/tables.ts';
import { compareAndSet, type Confirmed, type Foreign, type Parked } from './compare-and-set.ts';
import type { HostStops } from './host-stops.ts';
import { decideHeaderWrite } from './judge.ts';
import { servicePart } from './service-part.ts';

type Header = ServicePart<'RTHDRP'>;
type HeaderOutcome = Confirmed<Header> | Foreign | (Parked & { readonly payload: string });

/**
 * Brings the service's columns of a route's own row to the mirror's state. Without a shadow the row is as a dispatch
 * program inserts it. @throws HostError, as `compareAndSet` does
 */
export async function replicateHeader(
  host: HostStops,
  key: RouteKey,
  wanted: Header,
  shadow: Header | undefined,
  stamp: AuditStamp,
  parksSystemErrors = false,
): Promise<HeaderOutcome> {
  const { RHFAC, RHRTE, RHWKE } = wanted;
  const dispatched: Header = { ...servicePart('RTHDRP', () => undefined), RHFAC, RHRTE, RHWKE };
  const outcome = await compareAndSet<Header, Header>(
    {
      want: () => wanted,
      isOnHost: (row, confirmed) => equalExcept(confirmed, row),
      write: (row, confirmed = dispatched) => host.writeHeader(row, confirmed, stamp),
      written: (row) => row,
      read: async () => (await host.readHeader(key))?.row,
      decide: (found, row, confirmed = dispatched) => decideHeaderWrite(found, row, confirmed),
      reasons: {
        missing: 'the host has no such route',
        changing: 'the row of this route keeps changing on the host',
      },
    },
    shadow ?? dispatched,
    parksSystemErrors,
  );
  return outcome.kind === 'parked' ? { ...outcome, payload: JSON.stringify(wanted) } : outcome;
}
