import type { ReferenceCode } from '@tailgate/sync-protocol';
import { english } from './english.ts';

/** Labels by field name: `english`, `spanish`, or either with the app's own additions. */
export type Labels = Readonly<Record<string, string>>;

/**
 * A line's field in a conflict, an amendment or a `superseded` warning: item, invoice and occurrence, separated by
 * tabs.
 */
const ofLine = /^(products|collections)\.([^\t]*)\t([^\t]*)\t(\d+)\.([^.]+)$/;

/** Steps of a path that need no label where others follow. */
const silent = new Set(['stop', 'updates', 'report', 'route']);

/**
 * Converts a path to readable text: of a conflict, an amendment, a warning, or a detail of `InvalidChange`. A name
 * without a label appears with spaces for underscores.
 *
 *   labelOf('updates.signature_id')                       'Signature'
 *   labelOf('products.ITEM1\tINV1\t0.delivered')          'Item ITEM1, invoice INV1: Delivered'
 *   labelOf('products.0.updates.osd_data.1.osd_code')     'Item 1, exception 2: Reason'
 */
export function labelOf(path: string, labels: Labels = english): string {
  const word = (name: string): string =>
    (Object.hasOwn(labels, name) ? labels[name] : undefined) ?? name.replace(/^one of /, '').replaceAll('_', ' ');
  const line = ofLine.exec(path);
  if (line) {
    const [, kind = '', id = '', invoice = '', n = '', field = ''] = line;
    const where = [`${word(`one of ${kind}`)} ${id}`];
    if (invoice !== '') where.push(`${word('on invoice')} ${invoice}`);
    if (n !== '0') where.push(`${word('line number')} ${Number(n) + 1}`);
    return `${where.join(', ')}: ${word(field)}`;
  }
  const where: string[] = [];
  let field = '';
  let before = '';
  const steps = path.split('.').filter((step, i, all) => step !== '' && !(silent.has(step) && i < all.length - 1));
  for (const step of steps) {
    if (/^\d+$/.test(step)) {
      where.push(`${word(`one of ${field}`)} ${Number(step) + 1}`);
      [field, before] = ['', ''];
    } else {
      field = prefixed(before, step);
      before = step;
    }
  }
  if (field !== '') return [...(where.length > 0 ? [where.join(', ')] : []), word(field)].join(': ');
  return where.join(', ') || word('change');
}

/** Members of a line's `action` have other names in a stop's result. */
const prefixed = (before: string, step: string): string =>
  before === 'action' && actionMembers.has(step) ? `action_${step}` : step;
const actionMembers = new Set(['type', 'delivered', 'osd_data', 'quantity']);

type CodeList = ReferenceCode['type'];

const lists: Readonly<Record<string, CodeList>> = {
  skip_refuse_reason_code: 'stop-exception',
  osd_code: 'credit-reason',
  container_type: 'container-type',
  section: 'section',
  trailer_area: 'trailer-area',
};

/**
 * The list of `client.codes(…)` for a field, by its name or a path that ends in it; undefined without one. Of
 * `stop-exception`, a skip uses codes with `stop_type` S and B, a refusal those with R and B. The interface specifies
 * no list for `followup_reason_code`, and no field for the list `invoice-exception`.
 */
export function codeListOf(path: string): CodeList | undefined {
  const name = path.slice(path.lastIndexOf('.') + 1);
  return Object.hasOwn(lists, name) ? lists[name] : undefined;
}
