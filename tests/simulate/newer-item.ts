import type { Place } from './model/fixture.ts';

/** The queue of a change, and its number there. */
export interface NewerPlace extends Pick<Place, 'route' | 'stop'> {
  readonly clientId: string;
  readonly employee: string;
  readonly seq: number;
}

/**
 * The stored change of a newer app: a kind that this app does not know, in the form of the app's own changes. Its edit
 * time is the phone's, and never before the change in front of it.
 *
 * @param before the changes of the queue
 */
export function newerItem(
  id: string,
  { clientId, employee, route, stop, seq }: NewerPlace,
  { phoneNow, before }: { readonly phoneNow: number; readonly before: readonly { readonly editTime: number }[] },
): object {
  const editTime = Math.max(phoneNow, ...before.map((each) => each.editTime));
  return {
    ...{ client_id: clientId, employee, form: 'open', edit_time: editTime, progress: { at: 'waiting' } },
    mutation: {
      ...{ id, seq, name: 'stop.weigh', version: 1, args: { route, stop: { id: stop, weight: seq } } },
      ...{ captured_at: new Date(editTime).toISOString(), boot_id: 'newer', monotonic_ms: 1, prev_hash: null },
    },
  };
}
