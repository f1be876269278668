import type { ReferenceCode, RouteHeader, StopPlan, StopResult } from '@tailgate/sync-protocol';
import { stopResult } from '@tailgate/sync-protocol';
import { fields, listOf, number, record, text } from '../platform/reading.ts';
import type { LocalDocument } from './scope-state.ts';

// Reads the documents of the feed. What is only shown is taken as our server says it, where it has the members that are
// computed with here; what the field rules go on from is read whole (docs/decisions/0052). What has another form is as
// good as absent.

const hasLines = fields({ id: number, sequence: number, products: listOf(record), collections: listOf(record) });
export const isPlan = (value: unknown): value is StopPlan => hasLines(value);

const hasDrivers = fields({ facility: text, id: text, week_end: text, drivers: listOf(record) });
export const isHeader = (value: unknown): value is RouteHeader => hasDrivers(value);

const hasOrder = fields({ type: text, code: text, sort: number });
export const isCode = (value: unknown): value is ReferenceCode => hasOrder(value);

const nothingSaid: StopResult = { status: 'P' };

/** Read once a document: it is looked at again with every change of its stop. */
const results = new WeakMap<LocalDocument, StopResult>();

/** What is said of a stop; that it is pending, where nobody has said anything. */
export function resultOf(document: LocalDocument | undefined): StopResult {
  if (!document) return nothingSaid;
  const known = results.get(document);
  if (known) return known;
  const result = stopResult.safeParse(document.value).data ?? nothingSaid;
  results.set(document, result);
  return result;
}
