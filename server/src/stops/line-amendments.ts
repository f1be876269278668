import type { LineKind, LineUpdate } from '@tailgate/sync-protocol';
import { atPlaces, lineUpdate } from '@tailgate/sync-protocol';

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
   * The changed lines of a kind, for an update.
   *
   * @param unmapped collects changes that no stop object can express
   */
  linesOf(kind: LineName['kind'], unmapped: string[]): LineUpdate[] {
    const named: { n: number; line: LineUpdate }[] = [];
    for (const { line, updates, action } of this.#lines.values()) {
      const { id, invoice, n } = line;
      if (line.kind !== kind) continue;
      const parsed = lineUpdate.safeParse({
        id,
        invoice,
        updates,
        ...(Object.keys(action).length > 0 ? { action: { updates: action } } : {}),
      });
      if (parsed.success) named.push({ n, line: parsed.data });
      else unmapped.push(`${kind === 'products' ? 'P' : 'C'} line ${n + 1} of ${id}`);
    }
    return atPlaces(named);
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
