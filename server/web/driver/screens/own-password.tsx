import { useClient } from '@tailgate/client-sdk/react';
import { changePassword } from '@tailgate/client-sdk/passwords';
import type { FormEvent } from 'react';
import { useRef, useState } from 'react';
import { Field } from '../../ui/parts/field.tsx';
import { Gate } from '../../ui/parts/gate.tsx';
import { Screen } from '../../ui/parts/screen.tsx';
import type { Faults } from '../words/sign-in-faults.ts';
import { faultsOf, unreachable } from '../words/sign-in-faults.ts';
import { useServices } from '../services.ts';
import { SignHead } from '../parts/sign-head.tsx';
import { WholeFault } from '../parts/whole-fault.tsx';
import { t } from '../words/words.ts';
import type { OneTime } from './sign-in.tsx';

interface OwnPasswordProps {
  readonly oneTime: OneTime;
  readonly onDone: () => void;
}

/** After a sign-in with a one-time password: the driver's own one. The change ends the session, so it signs in again. */
export function OwnPasswordScreen({ oneTime, onDone }: OwnPasswordProps) {
  const client = useClient();
  const { server } = useServices();
  const [first, setFirst] = useState('');
  const [again, setAgain] = useState('');
  const [faults, setFaults] = useState<Faults>({});
  const [isBusy, setBusy] = useState(false);
  const { employeeId, password } = oneTime;
  /** The password that the server has, as far as its answers have arrived. */
  const current = useRef(password);

  const save = async (): Promise<void> => {
    const wrong: Faults = {
      ...(first.length < 8 && { password: t('register.short') }),
      ...(first === password && { password: t('change.same') }),
      ...(first !== again && { code: t('change.differs') }),
    };
    setFaults(wrong);
    if (Object.keys(wrong).length > 0) return;
    setBusy(true);
    try {
      if (first !== current.current) {
        const change = { employeeId, currentPassword: current.current, newPassword: first };
        const changed = await changePassword(server, change);
        if (changed.kind === 'done') current.current = first;
        // The answer to an earlier attempt may have been lost: then the new password signs in.
        else if (changed.code !== 'INVALID_CREDENTIALS') {
          setFaults(changed.details[0] ? { password: changed.details[0].message } : faultsOf(changed));
          return;
        }
      }
      const result = await client.signIn({ employeeId, password: first, confirmLogin: true });
      if (result.kind === 'refused') setFaults(faultsOf(result));
      else onDone();
    } catch {
      setFaults({ whole: unreachable() });
    } finally {
      setBusy(false);
    }
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    void save();
  };

  return (
    <Screen
      title={t('change.title')}
      foot={
        <Gate
          act={t('change.act')}
          form="own-password"
          busy={isBusy}
          under={
            <button className="btn btn-link" type="button" onClick={onDone}>
              {t('change.later')}
            </button>
          }
        />
      }
    >
      <SignHead />
      <form id="own-password" className="pad stack signform" noValidate onSubmit={submit}>
        <h1>{t('change.title')}</h1>
        <p className="small">{t('change.why')}</p>
        <WholeFault faults={faults} />
        <Field
          label={t('register.new')}
          big
          type="password"
          autoComplete="new-password"
          value={first}
          error={faults.password}
          onInput={(event) => setFirst(event.currentTarget.value)}
        />
        <Field
          label={t('change.again')}
          big
          type="password"
          autoComplete="new-password"
          value={again}
          error={faults.code}
          onInput={(event) => setAgain(event.currentTarget.value)}
        />
      </form>
    </Screen>
  );
}
