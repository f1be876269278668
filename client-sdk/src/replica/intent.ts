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

/** Inputs of the local rules beside the stop. */
export interface RuleContext {
  readonly drivers: RouteHeader['drivers'];
  /** The meaning of a stop exception code: S, R, B or blank; undefined where the list lacks it. */
  readonly stopException: (code: string) => string | undefined;
  readonly plan: Pick<StopPlan, 'products' | 'collections'> | undefined;
}

/**
 * The local form of the server's `decide`: the effect of a change on its stop, as far as a device can compute it. A
 * stop that the feed has brought ahead of the answers gets all unanswered changes once more, in their order: a result
 * that contains the last one does not show that it contains those before, whose fields may all be overwritten.
 */
export function applyItem(before: StopResult, item: QueueItem, context: RuleContext): AppliedUpdate | undefined {
  const update = updateOf(item, context);
  if (!update) return undefined;
  const placed = withPlannedInvoices(update, (kind, id) => invoicesOf(context.plan?.[kind] ?? [], id));
  const { plan } = context;
  // Without the plan, every line counts as planned; the server decides.
  const isKnown: IsPlanned = (kind, id, invoice, n) => !plan || isPlanned(plan[kind], id, invoice, n);
  const attributed = withDeliverer(placed, item.employee, context.drivers);
  return applyStopUpdate(before, attributed, stampOf(item, before.by), { isPlanned: isKnown });
}

const isPlanned = (lines: readonly LineName[], item: string, invoice: string, n: number): boolean =>
  lines.filter((line) => line.id === item && line.invoice === invoice).length > n;

type LineName = Pick<StopPlan['products'][number], 'id' | 'invoice'>;

const invoicesOf = (lines: readonly LineName[], item: string): string[] =>
  lines.filter(({ id }) => id === item).map(({ invoice }) => invoice);

/**
 * Never earlier than the same queue's previous change of this stop; the server applies the same rule (protocol.md,
 * Time). Server stamps follow the server's clock. A phone whose clock is behind would otherwise show the driver's older
 * value until the newer one is answered.
 */
const stampOf = (item: QueueItem, writers: readonly Stamp[] = []): Stamp => ({
  at: Math.max(item.edit_time, ...writers.filter((writer) => precedes(writer, item)).map((writer) => writer.at)),
  client: item.client_id,
  seq: item.mutation.seq,
  by: item.employee,
});

const precedes = (writer: Stamp, item: QueueItem): boolean =>
  writer.client === item.client_id && writer.seq < item.mutation.seq;

/** Each arguments object is parsed once: every change of its stop applies the item again. */
const parsed = new WeakMap<object, StopObject>();

function updateOf({ mutation }: QueueItem, context: RuleContext): StopObject | undefined {
  // A later app wrote it: the same words may have another meaning (field case 5).
  if (mutation.version !== 1) return undefined;
  if (mutation.name === 'stop.skip_refuse') {
    const skip = skipRefuseArgs.safeParse(mutation.args).data;
    return skip && skipAsUpdate(skip, context.stopException);
  }
  if (mutation.name !== 'stop.update') return undefined;
  const known = parsed.get(mutation.args);
  if (known) return known;
  // `targetOf` has already read the route of these arguments.
  const update = stopObject.safeParse(mutation.args['stop']).data;
  if (update) parsed.set(mutation.args, update);
  return update;
}
