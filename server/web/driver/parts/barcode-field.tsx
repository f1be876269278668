import type { FormEvent } from 'react';
import { useState } from 'react';
import { isCheckDigitRight } from '../model/barcode.ts';
import { t } from '../words/words.ts';
import { CodeField } from './code-field.tsx';

/** A typed number. A wrong check digit is a hint only: hosts have numbers without one. Enter of a scanner submits, too. */
export function BarcodeField({ onCode }: { readonly onCode: (code: string) => void }) {
  const [text, setText] = useState('');
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (text.trim() === '') return;
    setText('');
    onCode(text.trim());
  };
  return (
    <form className="barcode-form" onSubmit={submit}>
      <CodeField
        label={t('scan.type')}
        name="barcode"
        autoComplete="off"
        enterKeyHint="search"
        value={text}
        hint={isCheckDigitRight(text) === false ? t('scan.checkDigit') : undefined}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      <button className="btn btn-main" type="submit">
        {t('scan.lookUp')}
      </button>
    </form>
  );
}
