import type { ComponentProps, MouseEvent } from 'react';
import { useState } from 'react';
import { Field } from '../../ui/parts/field.tsx';
import { t } from '../words/words.ts';

type CodeFieldProps = Omit<ComponentProps<typeof Field>, 'value' | 'inputMode' | 'beside'> & { readonly value: string };

/** A field for a code of the host: digits as a rule, and letters by a key beside it, because the host's fields take both. */
export function CodeField({ value, ...field }: CodeFieldProps) {
  const [hasLetters, setLetters] = useState(() => /\D/.test(value));
  const change = ({ currentTarget }: MouseEvent<HTMLButtonElement>): void => {
    const input = currentTarget.parentElement?.querySelector('input');
    if (!input) return;
    setLetters(!hasLetters);
    // Phones read it when a field gets the focus; in this event, because iOS shows no keyboard later.
    input.inputMode = hasLetters ? 'numeric' : 'text';
    input.blur();
    input.focus();
  };
  return (
    <Field
      {...field}
      value={value}
      inputMode={hasLetters ? 'text' : 'numeric'}
      autoCapitalize="characters"
      autoCorrect="off"
      spellCheck={false}
      beside={
        <button className="btn btn-main" type="button" onClick={change}>
          {t(hasLetters ? 'field.digits' : 'field.letters')}
          <span className="sr">{t(hasLetters ? 'field.toDigits' : 'field.toLetters')}</span>
        </button>
      }
    />
  );
}
