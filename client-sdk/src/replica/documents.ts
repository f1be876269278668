import type { ReferenceCode, RouteHeader, StopPlan, StopResult } from '@tailgate/sync-protocol';
import { stopResult } from '@tailgate/sync-protocol';
import { fields, listOf, number, record, text } from '../platform/reading.ts';
import { keepEqualParts } from '../platform/watch.ts';
import type { LocalDocument } from './scope-state.ts';

// Reads the documents of the feed. Display values are taken unchecked, where the members for local computation exist.
// Values that the field rules continue from are read whole (docs/decisions/0052). A document of another form counts as
// absent.

const hasLines = fields({ id: number, sequence: number, products: listOf(record), collections: listOf(record) });
export const isPlan = (value: unknown): value is StopPlan => hasLines(value);

const hasDrivers = fields({ facility: text, id: text, week_end: text, drivers: listOf(record) });
export const isHeader = (value: unknown): value is RouteHeader => hasDrivers(value);

const hasOrder = fields({ type: text, code: text, sort: number });
export const isCode = (value: unknown): value is ReferenceCode => hasOrder(value);

const pending: StopResult = { status: 'P' };

/** Each document is parsed once; every change of its stop reads it again. */
const results = new WeakMap<LocalDocument, StopResult>();

/**
 * The result of a stop; pending where none exists.
 *
 * @param shown the result in the view. Mostly the document returns its values with other writers: values that equal
 *   parsed ones need no schema.
 */
export function resultOf(document: LocalDocument | undefined, shown: StopResult = pending): StopResult {
  if (!document) return pending;
  const known = results.get(document);
  if (known) return known;
  const { value } = document;
  const isShown = record(value) && hasSameValues(shown, value);
  const { data } = stopResult.safeParse(isShown ? { ...pending, by: value['by'], at: value['at'] } : value);
  const result = data ? { ...data, ...(isShown && valuesOf(shown)) } : pending;
  results.set(document, result);
  return result;
}

/** Whether two results have the same values, apart from authors and times: a view shows nothing else of them. */
export function hasSameValues(before: StopResult, after: Writers): boolean {
  const values = valuesOf(before);
  return keepEqualParts(values, valuesOf(after)) === values;
}

interface Writers {
  readonly by?: unknown;
  readonly at?: unknown;
}
const valuesOf = ({ by: _, at: __, ...values }: Writers): object => values;
