import type { SignInResult } from '@tailgate/client-sdk';
import { useClient, useDriver, useStatus } from '@tailgate/client-sdk/react';
import { resetPassword } from '@tailgate/client-sdk/passwords';
import type { FormEvent } from 'react';
import { useState } from 'react';
import { Banner } from '../../ui/parts/chip.tsx';
import { Field } from '../../ui/parts/field.tsx';
import { Gate } from '../../ui/parts/gate.tsx';
import { Screen } from '../../ui/parts/screen.tsx';
import { links } from '../links.ts';
import type { Faults } from '../words/sign-in-faults.ts';
import { faultsOf, unreachable } from '../words/sign-in-faults.ts';
import { InstallHint } from '../parts/install-hint.tsx';
import { EvictedNote } from '../parts/phone-notes.tsx';
import { CodeField } from '../parts/code-field.tsx';
import { SignHead } from '../parts/sign-head.tsx';
import { WholeFault } from '../parts/whole-fault.tsx';
import { useServices } from '../services.ts';
import { t } from '../words/words.ts';
import { OtherDriverScreen } from './other-driver.tsx';

/** A driver who signed in with a one-time password, and has to choose a new one. */
export interface OneTime {
  readonly employeeId: string;
  readonly password: string;
}

interface SignInProps {
  readonly onSignedIn: (oneTime: OneTime | undefined) => void;
}

/** Asks for the driver's number and password. Before another driver signs in, it asks for confirmation. */
export function SignInScreen({ onSignedIn }: SignInProps) {
  const client = useClient();
  const { server, sample } = useServices();
  const driver = useDriver();
  const [employeeId, setEmployee] = useState(driver?.employeeId ?? '');
  const [password, setPassword] = useState('');
  const [faults, setFaults] = useState<Faults>({});
  const [others, setOthers] = useState<Others>();
  const [sentTo, setSentTo] = useState('');
  const [isBusy, setBusy] = useState(false);

  const signIn = async (confirmLogin: boolean): Promise<void> => {
    const missing: Faults = {
      ...(employeeId.trim() === '' && { employee: t('signIn.noNumber') }),
      ...(password === '' && { password: t('signIn.noPassword') }),
    };
    setFaults(missing);
    if (Object.keys(missing).length > 0) return;
    setBusy(true);
    try {
      const result = await client.signIn({ employeeId: employeeId.trim(), password, confirmLogin });
      setOthers(result.kind === 'conflict' ? result.drivers : undefined);
      if (result.kind === 'refused') setFaults(faultsOf(result));
      if (result.kind === 'signed_in')
        onSignedIn(result.mustChangePassword ? { employeeId: result.employeeId, password } : undefined);
    } catch {
      setFaults({ whole: unreachable() });
    } finally {
      setBusy(false);
    }
  };
  const forgot = async (): Promise<void> => {
    if (employeeId.trim() === '') {
      setFaults({ employee: t('signIn.noNumber') });
      return;
    }
    try {
      const result = await resetPassword(server, employeeId.trim());
      setFaults(result.kind === 'refused' ? faultsOf(result) : {});
      setSentTo(result.kind === 'done' ? employeeId.trim() : '');
    } catch {
      setFaults({ whole: unreachable() });
    }
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    void signIn(false);
  };

  if (others)
    return (
      <OtherDriverScreen
        drivers={others}
        faults={faults}
        isBusy={isBusy}
        onGoOn={() => void signIn(true)}
        onBack={() => setOthers(undefined)}
      />
    );
  return (
    <Screen
      title={t('signIn.act')}
      foot={
        <Gate
          act={isBusy ? t('signIn.busy') : t('signIn.act')}
          form="sign-in"
          busy={isBusy}
          under={
            <>
              {driver && (
                <a className="btn btn-link" href={links.route}>
                  {t('app.back')}
                </a>
              )}
              <a className="btn btn-link" href={links.takeOver}>
                {t('signIn.takeOver')}
              </a>
            </>
          }
        />
      }
    >
      <SignHead />
      <form id="sign-in" className="pad stack signform" noValidate onSubmit={submit}>
        <h1>{greeting()}</h1>
        {sample && <sample.SignIn />}
        <Waiting />
        <EvictedNote />
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
          label={t('signIn.password')}
          big
          name="password"
          type="password"
          autoComplete="current-password"
          value={password}
          error={faults.password}
          onInput={(event) => setPassword(event.currentTarget.value)}
        >
          <button className="btn btn-link" type="button" onClick={() => void forgot()}>
            {t('signIn.forgot')}
          </button>
        </Field>
        {sentTo !== '' && (
          <Banner icon="check" tone="go" role="status">
            <p>{t('signIn.sent', { id: sentTo })}</p>
          </Banner>
        )}
        <p>
          <a className="btn btn-link" href={links.register}>
            {t('signIn.register')}
          </a>
        </p>
      </form>
      <div className="pad stack signfoot">
        <InstallHint />
        {!sample && (
          <a className="btn btn-wide" href="./?demo">
            {t('signIn.sample')}
          </a>
        )}
      </div>
    </Screen>
  );
}

type Others = Extract<SignInResult, { kind: 'conflict' }>['drivers'];

function greeting(): string {
  const hour = new Date().getHours();
  return t(hour < 12 ? 'signIn.morning' : hour < 18 ? 'signIn.day' : 'signIn.evening');
}

/** Work of earlier drivers on this phone: it goes by itself, waits for their own sign-in, or needs the office. */
function Waiting() {
  const { pending, awaitsSignIn, refused, names } = useStatus();
  const banners = Object.entries(pending).map(([employee, all]) => {
    const name = names[employee] ?? employee;
    const waits = awaitsSignIn[employee] ?? 0;
    const n = waits || (refused[employee] ?? 0);
    return n > 0 ? (
      <Banner key={employee} icon="person" tone="info">
        <p>
          <strong>{t('signIn.waits', { n, name })}</strong>{' '}
          {waits > 0 ? t('signIn.waitsWhy', { name }) : t('net.refused')}
        </p>
      </Banner>
    ) : (
      <Banner key={employee} icon="cloud" role="status">
        <p>
          <strong>{t('signIn.goes', { n: all, name })}</strong> {t('signIn.goesWhy')}
        </p>
      </Banner>
    );
  });
  if (banners.length === 0) return null;
  return (
    <>
      {banners}
      <p>
        <a className="btn btn-link" href={links.handOver}>
          {t('day.handOver')}
        </a>
      </p>
    </>
  );
}
