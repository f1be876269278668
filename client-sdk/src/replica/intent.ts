import type {
  AppliedUpdate,
  IsPlanned,
  RouteHeader,
  Stamp,
  StopObject,
  StopPlan,
  StopResult,
} from '@tailgate/sync-protocol';
import {
  applyStopUpdate,
  skipAsUpdate,
  skipRefuseArgs,
  stopObject,
  withDeliverer,
  withPlannedInvoices,
} from '@tailgate/sync-protocol';
import type { QueueItem } from '../queue/item.ts';

/** What the local rules need to know beside the stop. */
export interface Surroundings {
  readonly drivers: RouteHeader['drivers'];
  /** What a stop exception code stands for: S, R, B or blank; undefined where it is not on the list. */
  readonly stopException: (code: string) => string | undefined;
  readonly plan: Pick<StopPlan, 'products' | 'collections'> | undefined;
}

/** The local form of the server's `decide`: what a change does to its stop, as far as a device can tell. */
export function applyItem(before: StopResult, item: QueueItem, around: Surroundings): AppliedUpdate | undefined {
  const update = updateOf(item, around);
  if (!update) return undefined;
  const placed = withPlannedInvoices(update, (kind, id) => invoicesOf(around.plan?.[kind] ?? [], id));
  const { plan } = around;
  // Without the plan the phone takes each line for a planned one. The server knows better.
  const isKnown: IsPlanned = (kind, id, invoice, n) => !plan || isPlanned(plan[kind], id, invoice, n);
  const said = withDeliverer(placed, item.employee, around.drivers);
  return applyStopUpdate(before, said, stampOf(item, before.by), { isPlanned: isKnown });
}

const isPlanned = (lines: readonly LineName[], item: string, invoice: string, n: number): boolean =>
  lines.filter((line) => line.id === item && line.invoice === invoice).length > n;

type LineName = Pick<StopPlan['products'][number], 'id' | 'invoice'>;

const invoicesOf = (lines: readonly LineName[], item: string): string[] =>
  lines.filter(({ id }) => id === item).map(({ invoice }) => invoice);

/**
 * Never before what the same queue has said of this stop earlier, as the server does not place it before that either
 * (protocol.md, Time): the server's stamps follow its own clock, and a phone whose clock is behind would show the
 * driver's older word until the newer one is answered.
 */
const stampOf = (item: QueueItem, writers: readonly Stamp[] = []): Stamp => ({
  at: Math.max(item.edit_time, ...writers.filter((writer) => precedes(writer, item)).map((writer) => writer.at)),
  client: item.client_id,
  seq: item.mutation.seq,
  by: item.employee,
});

const precedes = (writer: Stamp, item: QueueItem): boolean =>
  writer.client === item.client_id && writer.seq < item.mutation.seq;

/** Parsed once an object of arguments: the same item is applied again at every change of its stop. */
const parsed = new WeakMap<object, StopObject>();

function updateOf({ mutation }: QueueItem, around: Surroundings): StopObject | undefined {
  // Written by a later app: that the words are the same does not mean that they mean the same (field case 5).
  if (mutation.version !== 1) return undefined;
  if (mutation.name === 'stop.skip_refuse') {
    const skip = skipRefuseArgs.safeParse(mutation.args).data;
    return skip && skipAsUpdate(skip, around.stopException);
  }
  if (mutation.name !== 'stop.update') return undefined;
  const known = parsed.get(mutation.args);
  if (known) return known;
  // Whose stop it is was read when the item was: that part of the arguments is not looked at again.
  const update = stopObject.safeParse(mutation.args['stop']).data;
  if (update) parsed.set(mutation.args, update);
  return update;
}
