import { useRef, useState } from 'react';
import { lineOf, outcomeWords, type Language } from '../../../verify/src/words/words.ts';
import { Icon, type IconName } from '../../ui/icons.tsx';
import { Banner, Chip, type Tone } from '../../ui/parts/chip.tsx';
import type { DataOf } from '../api/operations.ts';
import { faultOf, type Fault } from '../api/reads.ts';
import { FaultNote } from '../parts/fault-note.tsx';
import { Page } from '../parts/page.tsx';
import { useServices } from '../services.ts';
import { useDrop } from '../use-drop.ts';
import { i18n, t } from '../words/words.ts';

type Verification = DataOf<'verifyEvidence'>;
type Check = Verification['checks'][number];

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
        {checked && <Outcome outcome={checked.outcome} />}
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

const looks: Readonly<Record<Check['state'], readonly [IconName, Tone]>> = {
  passed: ['check', 'go'],
  failed: ['x', 'bad'],
  unknown: ['warn', 'warn'],
  open: ['warn', 'warn'],
  absent: ['minus', 'plain'],
  unchecked: ['minus', 'plain'],
};

const tones: Readonly<Record<Verification['outcome'], readonly [IconName, Tone]>> = {
  proven: ['check', 'go'],
  unsigned: ['warn', 'warn'],
  gaps: ['warn', 'warn'],
  tampered: ['x', 'bad'],
  unreadable: ['x', 'bad'],
};

const language = (): Language => (i18n.language() === 'es' ? 'es' : 'en');

function Outcome({ outcome }: Pick<Verification, 'outcome'>) {
  const [icon, tone] = tones[outcome];
  return (
    <Banner icon={icon} tone={tone}>
      <p>{outcomeWords(outcome, language())}</p>
    </Banner>
  );
}

function Checks({ checked: { name, checks } }: { readonly checked: Checked }) {
  return (
    <div className="panel">
      <div className="panel-head">
        <h2 className="breaks">{name}</h2>
      </div>
      <ul className="panel-body">
        {checks.map((check) => {
          const { mark, text, details } = lineOf(check, language());
          const [icon, tone] = looks[check.state];
          return (
            <li key={check.check}>
              <Chip icon={icon} tone={tone}>
                {mark}
              </Chip>{' '}
              {text}
              {details.map((detail) => (
                <span key={detail} className="sub breaks">
                  {detail}
                </span>
              ))}
            </li>
          );
        })}
      </ul>
    </div>
  );
}
