import { useClient } from '@tailgate/client-sdk/react';
import { changePassword } from '@tailgate/client-sdk/passwords';
import type { FormEvent } from 'react';
import { useState } from 'react';
import { Banner } from '../../ui/parts/chip.tsx';
import { Field } from '../../ui/parts/field.tsx';
import { Gate } from '../../ui/parts/gate.tsx';
import { Screen } from '../../ui/parts/screen.tsx';
import type { Faults } from '../words/sign-in-faults.ts';
import { faultsOf, unreachable } from '../words/sign-in-faults.ts';
import { useServices } from '../services.ts';
import { SignHead } from '../parts/sign-head.tsx';
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

  const save = async (): Promise<void> => {
    const { employeeId, password: currentPassword } = oneTime;
    const wrong: Faults = {
      ...(first.length < 8 && { password: t('register.short') }),
      ...(first === currentPassword && { password: t('change.same') }),
      ...(first !== again && { code: t('change.differs') }),
    };
    setFaults(wrong);
    if (Object.keys(wrong).length > 0) return;
    setBusy(true);
    try {
      const changed = await changePassword(server, { employeeId, currentPassword, newPassword: first });
      if (changed.kind === 'refused') {
        setFaults(changed.details[0] ? { password: changed.details[0].message } : faultsOf(changed));
        return;
      }
      await client.signIn({ employeeId, password: first, confirmLogin: true });
      onDone();
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
        {faults.whole !== undefined && (
          <Banner icon="warn" tone="bad" role="alert">
            <p>{faults.whole}</p>
          </Banner>
        )}
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
