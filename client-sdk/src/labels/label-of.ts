import { english } from './english.ts';

/** Words by the names of fields: `english`, `spanish`, or either with words of the app's own. */
export type Labels = Readonly<Record<string, string>>;

/** A field of a line in a conflict, an amendment or a `superseded` warning: item, invoice and occurrence, between tabs. */
const ofLine = /^(products|collections)\.([^\t]*)\t([^\t]*)\t(\d+)\.([^.]+)$/;

/** Steps of a path that say nothing to a person, where others follow. */
const silent = new Set(['stop', 'updates', 'report', 'route']);

/**
 * A path in words for people: of a conflict, an amendment, a warning, or a detail of `InvalidChange`. A name that has no
 * label is shown as it is, with spaces.
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

/** What is inside a line's `action` has names of its own in a stop's result. */
const prefixed = (before: string, step: string): string =>
  before === 'action' && actionMembers.has(step) ? `action_${step}` : step;
const actionMembers = new Set(['type', 'delivered', 'osd_data', 'quantity']);
