import { fields, latestOf, type StopValues } from './diary.ts';
import type { Edit, Evidence, OfficeEdit } from './evidence.ts';
import { timeText } from './moments.ts';

/** A value of a clerk in a row of the ledger. Values of the office are distinct, so each names its edit. */
interface Written {
  readonly field: keyof StopValues;
  readonly edit: OfficeEdit;
}

const writtenIn = ({ stop, stored }: Pick<Edit, 'stop' | 'stored'>, edits: readonly OfficeEdit[]): Written[] =>
  fields.flatMap((field) => {
    const edit = edits.find(
      (each) => each.stop === stop && each.values[field] !== undefined && each.values[field] === stored[field],
    );
    return edit ? [{ field, edit }] : [];
  });

/**
 * The values that clerks wrote of a row of the ledger, and the time of the last of them. A restored server also finds
 * values that no clerk wrote, at times of its own: the model takes those from the ledger.
 */
export function deedOfOffice(
  { stop, stored, editTime }: Pick<Edit, 'stop' | 'stored' | 'editTime'>,
  { office, restores }: Pick<Evidence, 'office' | 'restores'>,
): Pick<Edit, 'values' | 'at'> {
  if (restores.hasHappened) return { values: stored, at: editTime };
  const written = writtenIn({ stop, stored }, office.edits).map(({ edit }) => edit);
  return written.length === 0
    ? { values: undefined, at: undefined }
    : { values: latestOf(written), at: Math.max(...written.map(({ at }) => at)) };
}

/**
 * Each correction of the office is in the ledger once, with its own author and its own time. Edits of one author within
 * two seconds are one edit, at the time of one of them. The ledger has no other office entries but those of a restored
 * server, about what it found on the host.
 */
export function wrongOfOffice(ledger: readonly Edit[], { office, restores }: Evidence): string[] {
  const wrong: string[] = [];
  const seen = new Map<OfficeEdit, (keyof StopValues)[]>();
  for (const entry of ledger) {
    const { id, stop, stored, employee, editTime } = entry;
    const written = writtenIn(entry, office.edits);
    for (const field of fields) {
      const value = stored[field];
      const isKnown = value === undefined || written.some((each) => each.field === field);
      if (!isKnown && !restores.hadOnHost(stop, field, value))
        wrong.push(`${id} of the office contains ${field} ${value}, which no clerk has written`);
    }
    for (const { field, edit } of written) {
      const before = seen.get(edit) ?? [];
      if (before.includes(field) && !restores.hasHappened)
        wrong.push(`the office’s ${JSON.stringify(edit)} is in the ledger again as ${id}`);
      seen.set(edit, [...before, field]);
    }
    const isOwn = written.every(({ edit }) => edit.by === employee);
    const isDated = written.some(({ edit }) => edit.at === editTime);
    if (!(isOwn && isDated) && !restores.mayDate(entry))
      wrong.push(
        `${id} is by ${employee} at ${timeText(editTime)}, and contains ${JSON.stringify(written.map(({ edit }) => edit))}`,
      );
  }
  for (const [i, edit] of office.edits.entries()) {
    const values = fields.filter((field) => edit.values[field] !== undefined);
    const isOverwritten = office.edits
      .slice(i + 1)
      .some(({ stop, values: later }) => stop === edit.stop && values.every((field) => later[field] !== undefined));
    if (!seen.has(edit) && !isOverwritten && !restores.mayLack(edit.stop, edit.values, edit.at))
      wrong.push(`the office’s ${JSON.stringify(edit)} is not in the ledger`);
  }
  return wrong;
}
