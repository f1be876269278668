import { useClient } from '@tailgate/client-sdk/react';
import type { FormEvent } from 'react';
import { useState } from 'react';
import { Field } from '../../ui/parts/field.tsx';
import { Gate } from '../../ui/parts/gate.tsx';
import { Screen } from '../../ui/parts/screen.tsx';
import { go } from '../../ui/router.ts';
import { links } from '../links.ts';
import type { Faults } from '../words/sign-in-faults.ts';
import { faultsOf, unreachable } from '../words/sign-in-faults.ts';
import { CodeField } from '../parts/code-field.tsx';
import { SignHead } from '../parts/sign-head.tsx';
import { WholeFault } from '../parts/whole-fault.tsx';
import { t } from '../words/words.ts';

const minPassword = 8;

/** Registers an employee of the office's list, with an invitation where the server asks for one. */
export function RegisterScreen() {
  const client = useClient();
  const [employeeId, setEmployee] = useState('');
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  const [faults, setFaults] = useState<Faults>({});
  const [isBusy, setBusy] = useState(false);

  const register = async (): Promise<void> => {
    const missing: Faults = {
      ...(employeeId.trim() === '' && { employee: t('signIn.noNumber') }),
      ...(password.length < minPassword && { password: t('register.short') }),
    };
    setFaults(missing);
    if (Object.keys(missing).length > 0) return;
    setBusy(true);
    try {
      const invitation = code.trim();
      const result = await client.signUp(employeeId.trim(), password, ...(invitation === '' ? [] : [invitation]));
      if (result.kind === 'refused') setFaults(faultsOf(result));
      else go(links.route, { replace: true });
    } catch {
      setFaults({ whole: unreachable() });
    } finally {
      setBusy(false);
    }
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    void register();
  };

  return (
    <Screen
      title={t('register.title')}
      foot={
        <Gate
          act={t('register.act')}
          form="register"
          busy={isBusy}
          under={
            <a className="btn btn-link" href={links.signIn}>
              {t('register.back')}
            </a>
          }
        />
      }
    >
      <SignHead />
      <form id="register" className="pad stack signform" noValidate onSubmit={submit}>
        <h1>{t('register.title')}</h1>
        <p className="small">{t('register.why')}</p>
        <WholeFault faults={faults} />
        <CodeField
          label={t('signIn.employee')}
          big
          name="employee"
          autoComplete="username"
          value={employeeId}
          error={faults.employee}
          onInput={(event) => setEmployee(event.currentTarget.value)}
        />
        <Field
          label={t('register.new')}
          big
          name="password"
          type="password"
          autoComplete="new-password"
          value={password}
          error={faults.password}
          onInput={(event) => setPassword(event.currentTarget.value)}
        />
        <Field
          label={t('register.code')}
          hint={t('register.codeHint')}
          big
          name="invitation"
          autoComplete="one-time-code"
          value={code}
          error={faults.code}
          onInput={(event) => setCode(event.currentTarget.value)}
        />
      </form>
    </Screen>
  );
}
