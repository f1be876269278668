import type { LineKind } from '@tailgate/sync-protocol';

/**
 * The digest of a plan that the rules read, stored beside it. Each manifest line is a line of text, in host order: `P`
 * product or `C` collection, item, invoice and ordered quantity, joined with tabs. A search in this text costs a tenth
 * of parsing the plan.
 */
export type PlanLines = string;

const letters = { products: 'P', collections: 'C' } as const satisfies Record<LineKind, string>;

export function planLines({ products, collections }: Record<LineKind, readonly Line[]>): PlanLines {
  const lines = [...products.map(digestAs('products')), ...collections.map(digestAs('collections'))];
  return `\n${lines.join('\n')}\n`;
}

interface Line {
  readonly id: string;
  readonly invoice: string;
  readonly quantity: number;
}
const digestAs =
  (kind: LineKind) =>
  (line: Line): string =>
    `${letters[kind]}\t${line.id}\t${line.invoice}\t${line.quantity}`;

/** The manifest lines of an item and invoice. */
interface Planned {
  /** The number of these lines. */
  readonly count: number;
  /** The ordered quantity of the `n`th of them, in host order; undefined where it does not exist. */
  readonly ordered: number | undefined;
}

/** Finds the lines of an item and invoice, and the `n`th of them. */
export function plannedLine(lines: PlanLines, kind: LineKind, id: string, invoice: string, n: number): Planned {
  const start = `\n${letters[kind]}\t${id}\t${invoice}\t`;
  let [count, ordered]: [number, number | undefined] = [0, undefined];
  for (let at = lines.indexOf(start); at >= 0; at = lines.indexOf(start, at + start.length)) {
    const from = at + start.length;
    if (count === n) ordered = Number(lines.slice(from, lines.indexOf('\n', from)));
    count += 1;
  }
  return { count, ordered };
}

/** The invoices of all manifest lines of this item, in host order. */
export function plannedInvoices(lines: PlanLines, kind: LineKind, id: string): string[] {
  const start = `\n${letters[kind]}\t${id}\t`;
  const invoices: string[] = [];
  for (let at = lines.indexOf(start); at >= 0; at = lines.indexOf(start, at + start.length)) {
    const from = at + start.length;
    invoices.push(lines.slice(from, lines.indexOf('\t', from)));
  }
  return invoices;
}
