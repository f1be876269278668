import type { ComponentProps, ReactNode } from 'react';
import { useId } from 'react';

interface FieldProps extends Omit<ComponentProps<'input'>, 'id' | 'className' | 'children'> {
  readonly label: string;
  /** Shown below the field, read out, and marks the field as wrong. */
  readonly error?: string | undefined;
  readonly hint?: string | undefined;
  readonly big?: boolean;
  /** Below the field, such as a link. */
  readonly children?: ReactNode;
}

/** A field with its label, a hint and an error. */
export function Field({ label, error, hint, big = false, children, ...input }: FieldProps) {
  const id = useId();
  const isWrong = error !== undefined && error !== '';
  const className = ['input', big && 'big', isWrong && 'wrong'].filter(Boolean).join(' ');
  const note = isWrong ? error : hint;
  return (
    <div className="field">
      <label className="lab" htmlFor={id}>
        {label}
      </label>
      <input
        {...input}
        id={id}
        className={className}
        aria-invalid={isWrong}
        aria-describedby={note === undefined ? undefined : `${id}-note`}
      />
      {note !== undefined && (
        <p id={`${id}-note`} className={isWrong ? 'hint badword' : 'hint'} role={isWrong ? 'alert' : undefined}>
          {note}
        </p>
      )}
      {children}
    </div>
  );
}
