import type { Draft } from '../drafts.ts';

export interface DraftFieldProps {
  readonly label: string;
  readonly draft: Draft;
  readonly name: string;
  readonly type?: 'text' | 'datetime-local';
  /** In characters. */
  readonly maxLength?: number;
  readonly isWrong?: boolean;
}

/** A labelled field of a half-written form. */
export function DraftField({ label, draft, name, type = 'text', maxLength = 500, isWrong = false }: DraftFieldProps) {
  return (
    <label className="field">
      <span className="lab">{label}</span>
      <input
        className={isWrong ? 'input wrong' : 'input'}
        type={type}
        autoComplete="off"
        aria-invalid={isWrong}
        maxLength={maxLength}
        value={draft.fields[name] ?? ''}
        onInput={(event) => draft.change(name, event.currentTarget.value)}
      />
    </label>
  );
}
