import { useRef, useState } from 'react';
import { Icon } from '../../ui/icons.tsx';
import { CheckLines, languageOf, Outcome } from '../../ui/parts/verification.tsx';
import { useDrop } from '../../ui/use-drop.ts';
import type { DataOf } from '../api/operations.ts';
import { faultOf, type Fault } from '../api/reads.ts';
import { FaultNote } from '../parts/fault-note.tsx';
import { Page } from '../parts/page.tsx';
import { useServices } from '../services.ts';
import { i18n, t } from '../words/words.ts';

type Verification = DataOf<'verifyEvidence'>;

interface Checked extends Verification {
  readonly name: string;
}

/** A pack from outside: dropped or chosen, and a line for each check. */
export function EvidenceScreen() {
  const { api } = useServices();
  const [checked, setChecked] = useState<Checked>();
  const [fault, setFault] = useState<Fault>();
  const [busyWith, setBusyWith] = useState<string>();
  const picker = useRef<HTMLInputElement>(null);
  const isBusy = busyWith !== undefined;
  const check = async (file: File | undefined): Promise<void> => {
    if (!file || isBusy) return;
    setBusyWith(file.name);
    setChecked(undefined);
    setFault(undefined);
    try {
      setChecked({ name: file.name, ...(await api.upload('verifyEvidence', 'pack', file)) });
    } catch (error) {
      setFault(faultOf(error));
    } finally {
      setBusyWith(undefined);
    }
  };
  useDrop(
    (files) => void check(files[0]),
    () => !isBusy,
  );
  return (
    <Page title={t('check.title')} lead={t('check.lead')}>
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
      <FaultNote fault={fault} />
      <div aria-live="polite">
        {busyWith !== undefined && <p className="small breaks">{t('check.busy', { name: busyWith })}</p>}
        {checked && <Outcome outcome={checked.outcome} language={language()} />}
      </div>
      {checked && <Checks checked={checked} />}
      <div className="panel drop">
        <Icon name="file" />
        <h2>{t('check.drop')}</h2>
        <p className="small">{t('check.dropMore')}</p>
        <button className="btn" type="button" aria-disabled={isBusy} onClick={() => isBusy || picker.current?.click()}>
          <Icon name="file" />
          {t(checked ? 'check.other' : 'check.choose')}
        </button>
      </div>
    </Page>
  );
}

const language = () => languageOf(i18n.language());

function Checks({ checked: { name, checks } }: { readonly checked: Checked }) {
  return (
    <div className="panel">
      <div className="panel-head">
        <h2 className="breaks">{name}</h2>
      </div>
      <CheckLines checks={checks} language={language()} />
    </div>
  );
}
