import type { LineKind, LineUpdate, OsdGroup, StopObject, Warning, WarningCode } from '@tailgate/sync-protocol';
import { keyedLines, lineKinds } from '@tailgate/sync-protocol';
import type { CodeBook } from '../codes/code-book.ts';
import { readableInstant } from './event-time.ts';
import { addressesIn } from './mail-address.ts';
import { hasOtherCustomer, hasOtherLines } from './plan-change.ts';
import type { PlanLines } from './plan-lines.ts';
import { plannedInvoices, plannedLine } from './plan-lines.ts';
import type { StopContext } from './stop-context.ts';

/**
 * Warnings about a stop object that the service accepts (contract §4).
 *
 * @param sent the stop object as received; paths name its lines
 * @param placed the same with invoices for lines that have none
 */
export function warningsOf(sent: StopObject, placed: StopObject, context: StopContext): Warning[] {
  return [...contextWarnings(placed, context), ...contentWarnings(sent, placed, context)];
}

function contextWarnings(stop: StopObject, context: StopContext): Warning[] {
  const { route, actor, plan } = context;
  const warnings: Warning[] = [];
  if (route.status === 'C') warnings.push(warn('after_close', '', 'the route was closed before this arrived'));
  if (route.withdrawn) warnings.push(warn('route_withdrawn', '', 'the host has withdrawn this route'));
  if (hasOtherCustomer(stop, context))
    warnings.push(warn('plan_changed', '', 'the stop was given to another customer after this was recorded'));
  else if (hasOtherLines(stop, context))
    warnings.push(warn('plan_changed', '', 'the lines of the stop were changed after this was recorded'));
  if (plan.removed) warnings.push(warn('stop_removed', '', 'the host has taken this stop off the route'));
  if (actor.kind === 'driver' && route.drivers.some((driver) => driver.id === actor.employee && driver.removed))
    warnings.push(warn('no_longer_assigned', '', 'the driver was taken off this route before this arrived'));
  return warnings;
}

function contentWarnings(sent: StopObject, placed: StopObject, context: StopContext): Warning[] {
  const { updates } = sent;
  const { codes, plan, paths } = context;
  const warnings: Warning[] = [];
  const time = updates?.skip_refuse_timestamp;
  if (time && readableInstant(time) === null)
    warnings.push(
      warn('unreadable_time', 'updates.skip_refuse_timestamp', 'this is no readable instant; it was kept as sent'),
    );
  const reason = updates?.skip_refuse_reason_code;
  if (reason && !codes.isStopException(reason)) warnings.push(unknownCode(reason, 'updates.skip_refuse_reason_code'));
  for (const [i, item] of (updates?.overage_items ?? []).entries()) {
    const path = `updates.overage_items.${i}.osd_code`;
    if (paths === 'v20' && item.osd_code !== '85' && item.osd_code !== '86')
      warnings.push(warn('overage_code', path, 'overage items use the codes 85 and 86'));
    else if (!codes.isCreditReason(item.osd_code)) warnings.push(unknownCode(item.osd_code, path));
  }
  for (const [i, address] of (updates?.osd_emails ?? []).entries()) {
    const { valid, invalid } = addressesIn(address);
    if (invalid > 0 || valid.length === 0)
      warnings.push(warn('invalid_email', `updates.osd_emails.${i}`, 'no mail goes there: this is no address'));
  }
  for (const kind of lineKinds)
    lineWarnings(kind, sent[kind] ?? [], placed[kind] ?? [], { lines: plan.lines, codes }, warnings);
  return warnings;
}

function lineWarnings(
  kind: LineKind,
  sent: readonly LineUpdate[],
  placed: readonly LineUpdate[],
  { lines, codes }: { readonly lines: PlanLines; readonly codes: CodeBook },
  warnings: Warning[],
): void {
  let similarLines: ReadonlyMap<string, number> | undefined;
  for (const [i, { line, n }] of keyedLines(placed).entries()) {
    const { id, invoice, updates, action } = line;
    const { ordered, count } = plannedLine(lines, kind, id, invoice, n);
    const path = `${kind}.${i}`;
    if (ordered === undefined)
      warnings.push(warn('unknown_product', path, `item ${id} is not on the manifest of this stop; it was kept`));
    else if ((updates?.delivered ?? 0) > ordered)
      warnings.push(warn('over_delivered', `${path}.updates.delivered`, `more than the ${ordered} ordered`));
    // Without an invoice of this item, the update could mean any line of the item.
    const anyInvoice = sent[i] !== undefined && sent[i].invoice !== invoice;
    const candidates = anyInvoice ? plannedInvoices(lines, kind, id).length : count;
    if (candidates > 1) {
      similarLines ??= countSimilarLines(placed);
      if (candidates > (similarLines.get(anyInvoice ? id : namedLine(id, invoice)) ?? 0))
        warnings.push(
          warn('ambiguous_line', path, `the manifest has ${candidates} such lines; ${chosenLine(line, n)}`),
        );
    }
    if (updates?.osd_data) osdWarnings(updates.osd_data, `${path}.updates.osd_data`, codes, warnings);
    if (action?.updates?.osd_data)
      osdWarnings(action.updates.osd_data, `${path}.action.updates.osd_data`, codes, warnings);
  }
}

const chosenLine = ({ invoice }: LineUpdate, n: number): string =>
  `this was taken for number ${n + 1}${invoice === '' ? '' : ` of invoice ${invoice}`}`;

/** Counts the received lines of each item, and of each item and invoice. */
function countSimilarLines(placed: readonly LineUpdate[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { id, invoice } of placed)
    for (const name of [id, namedLine(id, invoice)]) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

/** No item contains a tab. */
const namedLine = (id: string, invoice: string): string => `${id}\t${invoice}`;

function osdWarnings(groups: readonly OsdGroup[], path: string, codes: CodeBook, warnings: Warning[]): void {
  for (const [i, { osd_code }] of groups.entries())
    if (!codes.isCreditReason(osd_code)) warnings.push(unknownCode(osd_code, `${path}.${i}.osd_code`));
}

const unknownCode = (code: string, path: string): Warning =>
  warn('unknown_code', path, `code ${code} is not in the code list; it was kept`);
const warn = (code: WarningCode, path: string, message: string): Warning => ({ code, path, message });
