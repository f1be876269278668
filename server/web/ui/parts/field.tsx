import type { ComponentProps, ReactNode } from 'react';
import { useId } from 'react';

interface FieldProps extends Omit<ComponentProps<'input'>, 'id' | 'className' | 'children'> {
  readonly label: string;
  /** Shown below the field, read out, and marks the field as wrong. */
  readonly error?: string | undefined;
  readonly hint?: string | undefined;
  readonly big?: boolean;
  /** At the field's end, such as a key of its own. */
  readonly beside?: ReactNode;
  /** Below the field, such as a link. */
  readonly children?: ReactNode;
}

/** A field with its label, a hint and an error. */
export function Field({ label, error, hint, big = false, beside, children, ...input }: FieldProps) {
  const id = useId();
  const isWrong = error !== undefined && error !== '';
  const className = ['input', big && 'big', isWrong && 'wrong'].filter(Boolean).join(' ');
  const note = isWrong ? error : hint;
  const field = (
    <input
      {...input}
      id={id}
      className={className}
      aria-invalid={isWrong}
      aria-describedby={note === undefined ? undefined : `${id}-note`}
    />
  );
  return (
    <div className="field">
      <label className="lab" htmlFor={id}>
        {label}
      </label>
      {beside === undefined ? (
        field
      ) : (
        <div className="beside">
          {field}
          {beside}
        </div>
      )}
      {note !== undefined && (
        <p id={`${id}-note`} className={isWrong ? 'hint badword' : 'hint'} role={isWrong ? 'alert' : undefined}>
          {note}
        </p>
      )}
      {children}
    </div>
  );
}
