import type { RouteKey } from '@tailgate/sync-protocol';
import type { HostMoment } from '../host/files/local-time.ts';
import type { ServicePart } from '../host/files/tables.ts';
import type { ClosingState } from './closing.ts';

export interface HostHeader extends Pick<ClosingState, 'status' | 'arrived' | 'closedAt' | 'closedBy'> {
  readonly key: RouteKey;
  /** Stops whose present state the host does not have. */
  readonly open: number;
  /** Rows written after the close. */
  readonly late: number;
  /** The facility's clock. */
  readonly moment: (instant: Date) => HostMoment;
}

/** The service-owned columns of a route's header (RTHDRP). Open stops count only once the route is closed. */
export function headerRow({
  key,
  status,
  arrived,
  closedAt,
  closedBy,
  open,
  late,
  moment,
}: HostHeader): ServicePart<'RTHDRP'> {
  const closed = status === 'C' && closedAt ? moment(closedAt) : { date: '0' as const, time: '0' as const };
  return {
    RHFAC: key.facility,
    RHRTE: key.id,
    RHWKE: `${Number(key.week_end)}`,
    RHPODS: status === 'C' ? 'C' : '',
    RHRETM: arrived ? 'Y' : '',
    RHCLDT: closed.date,
    RHCLTM: closed.time,
    RHCLBY: closedBy ?? '',
    RHOPEN: `${status === 'C' ? open : 0}`,
    RHLATE: `${late}`,
  };
}
