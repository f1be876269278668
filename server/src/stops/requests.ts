import type { RouteKey, SkipRefuseBody, StopAnswer, StopObject } from '@tailgate/sync-protocol';
import type { Change, Outcome, PathSet } from '../mutations/change.ts';
import { shownReason } from './shown-reason.ts';
import { freshId, keyedId, type KeyUse } from './mutation-id.ts';

/** The sender of a REST request, and the facts that all its changes share. */
export interface Sender {
  readonly employee: string;
  readonly paths: PathSet;
  readonly receivedAt: Date;
  /** A repeated request must name the same mutations; without a key they are new each time. */
  readonly keyed: KeyUse | undefined;
}

/** One change for each stop object of PUT route/stop. */
export function stopChanges(route: RouteKey, stops: readonly StopObject[], sender: Sender): Change[] {
  return stops.map((stop, index) => {
    const command = { name: 'stop.update', args: { route, stop } } as const;
    return { ...changeOf(route, sender, index), ...command, command, stop: stop.id };
  });
}

export function skipChange(route: RouteKey, body: SkipRefuseBody, sender: Sender): Change {
  const { stop_id, status, type, skip_refuse_reason_code, skip_refuse_timestamp, skip_refuse_driver_comment } = body;
  const fields = { status, type, skip_refuse_reason_code, skip_refuse_timestamp, skip_refuse_driver_comment };
  const command = { name: 'stop.skip_refuse', args: { route, stop_id, ...fields } } as const;
  return { ...changeOf(route, sender, 0), ...command, command, stop: stop_id };
}

function changeOf(route: RouteKey, { employee, paths, receivedAt, keyed }: Sender, index: number) {
  return {
    id: keyed ? keyedId(employee, keyed, index) : freshId(receivedAt),
    version: 1,
    route,
    actor: { kind: 'driver', employee },
    source: 'rest',
    paths,
    // The server has no reading of a REST client's clock: its edits count from their receipt (contract §4).
    editTime: receivedAt,
    receivedAt,
    dedupeByContent: keyed === undefined,
  } as const;
}

/** The REST status of a stop object (contract §4). */
export function stopAnswer(id: number, outcome: Outcome): StopAnswer {
  if (outcome.result === 'quarantined') {
    const { code, details } = outcome;
    const warnings = [
      { code, path: '', message: shownReason(outcome) },
      ...details.map((detail) => ({ code, ...detail })),
    ];
    return { id, result: 'rejected', status: null, version: null, warnings };
  }
  const { status, stopVersion: version, warnings } = outcome;
  return { id, result: isStale(outcome) ? 'stale' : outcome.result, status, version, warnings: [...warnings] };
}

/** No value of it was applied: later edits are newer, or it would undo a completed step. */
const isStale = ({ changed, warnings }: Extract<Outcome, { changed: boolean }>): boolean =>
  !changed &&
  warnings.some(({ code }) => code === 'superseded' || code === 'status_ignored' || code === 'too_many_lines');
