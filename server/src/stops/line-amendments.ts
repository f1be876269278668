import type { LineKind, LineUpdate } from '@tailgate/sync-protocol';
import { lineUpdate } from '@tailgate/sync-protocol';

type Updates = NonNullable<LineUpdate['updates']>;
type ActionUpdates = NonNullable<NonNullable<LineUpdate['action']>['updates']>;

/** One line of a stop: `n` is 0 for the first of its item and invoice. */
export interface LineName {
  readonly kind: LineKind;
  readonly id: string;
  readonly invoice: string;
  readonly n: number;
}

interface Amended {
  readonly line: LineName;
  readonly updates: Updates;
  readonly action: ActionUpdates;
}

/** The office's changes to a stop's lines, collected file by file as the lines of one stop object. */
export class LineAmendments {
  readonly #lines = new Map<string, Amended>();

  change(line: LineName, updates: Updates): void {
    Object.assign(this.#of(line).updates, updates);
  }

  changeAction(line: LineName, updates: ActionUpdates): void {
    Object.assign(this.#of(line).action, updates);
  }

  /**
   * Adds changes of a line to the update. An update names a line by item and invoice, and the n-th of equal lines by
   * its place. The lines before it are added without values.
   *
   * @param unmapped collects changes that no stop object can express
   */
  linesOf(kind: LineName['kind'], unmapped: string[]): LineUpdate[] {
    const byName = new Map<string, LineUpdate[]>();
    for (const { line, updates, action } of this.#lines.values()) {
      const { id, invoice, n } = line;
      if (line.kind !== kind) continue;
      const named = {
        id,
        invoice,
        updates,
        ...(Object.keys(action).length > 0 ? { action: { updates: action } } : {}),
      };
      const parsed = lineUpdate.safeParse(named);
      if (!parsed.success) {
        unmapped.push(`${kind === 'products' ? 'P' : 'C'} line ${n + 1} of ${id}`);
        continue;
      }
      const equals = byName.get(`${id}\t${invoice}`) ?? [];
      byName.set(`${id}\t${invoice}`, equals);
      while (equals.length < n) equals.push({ id, invoice });
      equals[n] = parsed.data;
    }
    return [...byName.values()].flat();
  }

  #of(line: LineName): Amended {
    const name = [line.kind, line.id, line.invoice, line.n].join('\t');
    const known = this.#lines.get(name);
    if (known) return known;
    const amended = { line, updates: {}, action: {} };
    this.#lines.set(name, amended);
    return amended;
  }
}
