import type { AttentionCause, AttentionKind, Consequence, Suggestion } from './contract.ts';

type Facts = Pick<AttentionCause, 'kind' | 'cause' | 'count' | 'file' | 'code'>;
type Judgement = Pick<AttentionCause, 'suggested' | 'otherwise'>;

/** From this number on, rows refused for one reason point at the host rather than at the rows. */
const MANY = 5;
/** Missing objects and rights, full storage, and rows that another program has changed: the row itself is right. */
const ofHost = /^(42|28|3F|55|40|57|38)/;
/** A release succeeds as soon as the office has corrected what the change needs. */
const releasable = new Set(['NOT_ASSIGNED', 'ROUTE_NOT_FOUND', 'STOP_NOT_FOUND', 'UNKNOWN_MUTATION']);

/** The act that usually helps, and the consequence if no person acts. */
export const judge = (facts: Facts): Judgement => judgements[facts.kind](facts);

const of = (act: Suggestion['act'], operation: Suggestion['operation'], otherwise: Consequence): Judgement => ({
  suggested: { act, operation },
  otherwise,
});

const judgements: Readonly<Record<AttentionKind, (facts: Facts) => Judgement>> = {
  parked: ({ file, count, code }) => {
    if (file !== 'RTSTUP') return of('retry_all', 'retryParkedCause', 'host_lacks_row');
    const byOne = count < MANY && !ofHost.test(code ?? '');
    return byOne
      ? of('repair', 'repairParked', 'host_lacks_stop')
      : of('retry_all', 'retryParkedCause', 'host_lacks_stop');
  },
  quarantine: ({ code }) =>
    releasable.has(code ?? '')
      ? of('release', 'releaseQuarantined', 'not_applied')
      : of('review', 'dismissQuarantined', 'not_applied'),
  incident: ({ cause }) =>
    of('acknowledge', 'acknowledgeIncident', cause === 'incident:asset_missing' ? 'proof_incomplete' : 'unread'),
  flag: () => of('review', 'reviewFlags', 'saved_already'),
  silent_phone: () => of('call_driver', null, 'lost_with_phone'),
  missing_file: () => of('call_driver', null, 'proof_incomplete'),
  hold: ({ code }) =>
    code === 'host' ? of('call_host', null, 'host_gets_nothing') : of('end_hold', 'endHold', 'host_gets_nothing'),
  late_close: ({ cause }) =>
    cause === 'late_close:open' ? of('call_driver', null, 'route_stays_open') : of('wait', null, 'close_waits'),
};
