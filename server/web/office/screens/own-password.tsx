import type { FormEvent } from 'react';
import { useState } from 'react';
import { Icon } from '../../ui/icons.tsx';
import { Field } from '../../ui/parts/field.tsx';
import type { Fault } from '../api/reads.ts';
import { faultOf } from '../api/reads.ts';
import { FaultNote } from '../parts/fault-note.tsx';
import { useServices } from '../services.ts';
import { begin } from '../session.ts';
import { t } from '../words/words.ts';
import { Door } from './door.tsx';
import { sessionOf } from './sign-in.tsx';

/** A session of a one-time password only chooses an own one. */
export function OwnPasswordScreen() {
  const { api } = useServices();
  const [current, setCurrent] = useState('');
  const [next, setNext] = useState('');
  const [fault, setFault] = useState<Fault>();
  const [isBusy, setBusy] = useState(false);
  const save = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (isBusy) return;
    setBusy(true);
    setFault(undefined);
    try {
      const body = { current_password: current, new_password: next };
      begin(sessionOf((await api.call('changeOperatorPassword', { body })).data));
    } catch (error) {
      setFault(faultOf(error));
      setBusy(false);
    }
  };
  return (
    <Door title={t('oneTime.title')}>
      <form noValidate onSubmit={(event) => void save(event)}>
        <h1>{t('oneTime.title')}</h1>
        <p className="lead">{t('oneTime.why')}</p>
        <FaultNote fault={fault} />
        <Field
          label={t('signIn.password')}
          type="password"
          autoComplete="current-password"
          value={current}
          onInput={(event) => setCurrent(event.currentTarget.value)}
        />
        <Field
          label={t('oneTime.new')}
          type="password"
          autoComplete="new-password"
          value={next}
          onInput={(event) => setNext(event.currentTarget.value)}
        />
        <button className="btn btn-go" type="submit" aria-disabled={isBusy}>
          <span>{t('oneTime.act')}</span>
          <Icon name="arrow" />
        </button>
      </form>
    </Door>
  );
}
