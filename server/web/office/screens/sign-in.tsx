import type { FormEvent } from 'react';
import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import { Icon } from '../../ui/icons.tsx';
import { Banner } from '../../ui/parts/chip.tsx';
import { Field } from '../../ui/parts/field.tsx';
import { Refusal } from '../api/api.ts';
import type { DataOf } from '../api/operations.ts';
import type { Fault } from '../api/reads.ts';
import { faultOf, useRead } from '../api/reads.ts';
import { finishAtServer, isBackFromProvider, leaveForProvider, NoProviderSignIn } from '../provider-sign-in.ts';
import { useServices } from '../services.ts';
import type { Operator } from '../session.ts';
import { begin } from '../session.ts';
import { signOut } from '../sign-out.ts';
import { sentenceOf } from '../words/faults.ts';
import { t } from '../words/words.ts';
import { Door } from './door.tsx';

interface SignInProps {
  /** The page is locked: its operator, and why. */
  readonly locked?: { readonly operator: Operator; readonly why: 'idle' | 'asked' | 'ended' };
}

/** The sign-in by name and password. On a locked page only the password is missing. */
export function SignInScreen({ locked }: SignInProps) {
  const { api } = useServices();
  const [operator, setOperator] = useState(locked?.operator.id ?? '');
  const [password, setPassword] = useState('');
  const [wrong, setWrong] = useState<{ operator?: string; password?: string; whole?: string }>({});
  const [isBusy, setBusy] = useState(isBackFromProvider);
  const form = useRef<HTMLFormElement>(null);
  const { data: ways } = useRead('readSignInWays', {});
  const byProvider = async (step: () => Promise<void>): Promise<void> => {
    setBusy(true);
    setWrong({});
    try {
      await step();
    } catch (error) {
      setWrong({ whole: providerSentence(error) });
    }
    setBusy(false);
  };
  useEffect(() => {
    if (isBackFromProvider()) void byProvider(async () => begin(sessionOf(await finishAtServer(api))));
  }, []);
  // The keyboard goes on at the password, where the page behind had the focus: before the first paint, so no key is lost.
  useLayoutEffect(() => {
    if (locked) form.current?.querySelector('input')?.focus();
  }, []);
  const signIn = async (): Promise<void> => {
    const name = locked?.operator.id ?? operator.trim();
    const missing = {
      ...(name === '' && { operator: t('signIn.noOperator') }),
      ...(password === '' && { password: t('signIn.noPassword') }),
    };
    setWrong(missing);
    if (isBusy || Object.keys(missing).length > 0) return;
    setBusy(true);
    try {
      const { data } = await api.call('signInOperator', { body: { operator: name, password } });
      begin(sessionOf(data));
    } catch (error) {
      setWrong({ whole: faultSentence(faultOf(error)) });
      setPassword('');
      setBusy(false);
    }
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    void signIn();
  };
  const title = t(locked ? 'lock.title' : 'signIn.title');
  return (
    <Door title={title}>
      <form ref={form} noValidate onSubmit={submit}>
        <h1>{title}</h1>
        {locked && (
          <Banner icon="lock">
            <p>
              {t(`lock.${locked.why}`)} {t('lock.kept', { name: locked.operator.name })}
            </p>
          </Banner>
        )}
        {wrong.whole !== undefined && (
          <Banner icon="warn" tone="bad" role="alert">
            <p>{wrong.whole}</p>
          </Banner>
        )}
        {!locked && (
          <Field
            label={t('signIn.operator')}
            name="operator"
            autoComplete="username"
            autoCapitalize="none"
            spellCheck={false}
            value={operator}
            error={wrong.operator}
            onInput={(event) => setOperator(event.currentTarget.value)}
          />
        )}
        <Field
          label={t('signIn.password')}
          name="password"
          type="password"
          autoComplete="current-password"
          value={password}
          error={wrong.password}
          onInput={(event) => setPassword(event.currentTarget.value)}
        />
        <button className="btn btn-go" type="submit" aria-disabled={isBusy}>
          <span>{t(isBusy ? 'signIn.busy' : locked ? 'lock.act' : 'signIn.act')}</span>
          <Icon name="arrow" />
        </button>
        {ways?.oidc === true && (
          <button
            className="btn btn-wide"
            type="button"
            aria-disabled={isBusy}
            onClick={() => isBusy || void byProvider(() => leaveForProvider(api))}
          >
            <Icon name="key" />
            {t('signIn.provider')}
          </button>
        )}
        {locked ? (
          <button className="btn btn-link" type="button" onClick={signOut}>
            {t('lock.other')}
          </button>
        ) : (
          <p className="small">
            {t('signIn.noName')} <span className="mono">npm run ops -- operator add ID --name NAME --role ROLE</span>
          </p>
        )}
      </form>
    </Door>
  );
}

/** The session of an answer, which contains the token this once. */
export function sessionOf({ token, operator, idle_minutes, must_change_password }: DataOf<'signInOperator'>) {
  return { is: must_change_password ? 'oneTime' : 'in', operator, token, idleMinutes: idle_minutes } as const;
}

function providerSentence(error: unknown): string {
  if (error instanceof NoProviderSignIn) return t(`signIn.${error.why}`);
  const fault = faultOf(error);
  return fault instanceof Refusal && fault.status === 401 ? t('signIn.expired') : sentenceOf(fault);
}

function faultSentence(fault: Fault): string {
  if (!(fault instanceof Refusal)) return sentenceOf(fault);
  if (fault.status === 401) return t('signIn.wrong');
  if (fault.status === 429) return t('signIn.limited');
  return sentenceOf(fault);
}
