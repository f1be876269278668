import { useId, useRef, useState } from 'react';
import { createRoot } from 'react-dom/client';
import type { Verification } from '../../verify/src/verify-pack.ts';
import { Icon } from '../ui/icons.tsx';
import { Banner } from '../ui/parts/chip.tsx';
import { CheckLines, languageOf, Outcome } from '../ui/parts/verification.tsx';
import { startTheme } from '../ui/theme.ts';
import { useDrop } from '../ui/use-drop.ts';
import { checkFile, type Refused } from './check-file.ts';
import './verify.css';
import { i18n, t } from './words/words.ts';

startTheme();
i18n.start();
document.title = t('verify.title');

interface Checked extends Verification {
  readonly name: string;
}

const refusals = {
  keys: 'verify.keys',
  checkpoint: 'verify.badCheckpoint',
  large: 'verify.large',
  old: 'verify.old',
  unreadable: 'verify.unreadable',
} as const satisfies Readonly<Record<Refused, string>>;

function Page() {
  const [keys, setKeys] = useState('');
  const [checkpoint, setCheckpoint] = useState('');
  const [checked, setChecked] = useState<Checked>();
  const [refused, setRefused] = useState<Refused>();
  const [busyWith, setBusyWith] = useState<string>();
  const picker = useRef<HTMLInputElement>(null);
  const isBusy = busyWith !== undefined;
  const language = languageOf(i18n.language());
  const check = async (file: File | undefined): Promise<void> => {
    if (!file || isBusy) return;
    setBusyWith(file.name);
    setChecked(undefined);
    setRefused(undefined);
    const answer = await checkFile(file, { keys, checkpoint });
    setBusyWith(undefined);
    if (typeof answer === 'string') setRefused(answer);
    else setChecked({ name: file.name, ...answer });
  };
  useDrop(
    (files) => void check(files[0]),
    () => !isBusy,
  );
  return (
    <main>
      <h1>{t('verify.title')}</h1>
      <p>{t('verify.lead')}</p>
      <Text label={t('verify.trust')} hint={t('verify.trustHint')} value={keys} onText={setKeys} />
      <Text
        label={t('verify.checkpoint')}
        hint={t('verify.checkpointHint')}
        value={checkpoint}
        onText={setCheckpoint}
      />
      <div className="panel drop">
        <h2>{t('verify.drop')}</h2>
        <input
          ref={picker}
          type="file"
          hidden
          onChange={({ currentTarget }) => {
            void check(currentTarget.files?.[0]);
            // The same file again is a change, too.
            currentTarget.value = '';
          }}
        />
        <button className="btn" type="button" aria-disabled={isBusy} onClick={() => isBusy || picker.current?.click()}>
          <Icon name="file" />
          {t(checked ? 'verify.again' : 'verify.choose')}
        </button>
      </div>
      <div aria-live="polite">
        {busyWith !== undefined && <p className="breaks">{t('verify.busy', { name: busyWith })}</p>}
        {refused !== undefined && (
          <Banner icon="warn" tone="warn">
            <p>{t(refusals[refused])}</p>
          </Banner>
        )}
        {checked && <Outcome outcome={checked.outcome} language={language} />}
      </div>
      {checked && (
        <div className="panel">
          <h2 className="breaks">{checked.name}</h2>
          <CheckLines checks={checked.checks} language={language} />
        </div>
      )}
      <p className="hint">{t('verify.forger')}</p>
    </main>
  );
}

interface TextProps {
  readonly label: string;
  readonly hint: string;
  readonly value: string;
  readonly onText: (text: string) => void;
}

function Text({ label, hint, value, onText }: TextProps) {
  const id = useId();
  return (
    <div className="field">
      <label className="lab" htmlFor={id}>
        {label}
      </label>
      <textarea
        id={id}
        className="input"
        aria-describedby={`${id}-hint`}
        spellCheck={false}
        value={value}
        onInput={({ currentTarget }) => onText(currentTarget.value)}
      />
      <p id={`${id}-hint`} className="hint">
        {hint}
      </p>
    </div>
  );
}

const place = document.querySelector('#app');
if (place) createRoot(place).render(<Page />);
