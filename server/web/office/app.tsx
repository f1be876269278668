import { Fragment, useSyncExternalStore } from 'react';
import { usePageAddress } from './address.ts';
import { pageKey } from './navigation.ts';
import { Shell } from './parts/shell.tsx';
import { pageAt } from './pages.tsx';
import { OwnPasswordScreen } from './screens/own-password.tsx';
import { SignInScreen } from './screens/sign-in.tsx';
import type { Services } from './services.ts';
import { ServicesContext } from './services.ts';
import { operatorOf, session } from './session.ts';
import { useSignal } from './use-signal.ts';
import { i18n } from './words/words.ts';

/** The whole console. Behind the lock the page stays as it is, out of sight and out of reach. */
export function App({ services }: { readonly services: Services }) {
  const language = useSyncExternalStore(i18n.subscribe, i18n.language);
  const current = useSignal(session);
  const operator = operatorOf(current);
  return (
    <ServicesContext.Provider value={services}>
      <Fragment key={language}>
        {operator && current.is !== 'oneTime' && (
          <div key={operator.id} hidden={current.is === 'locked'} inert={current.is === 'locked'}>
            <Shell operator={operator}>
              <Pages />
            </Shell>
          </div>
        )}
        {current.is === 'oneTime' && <OwnPasswordScreen />}
        {current.is === 'out' && <SignInScreen />}
        {current.is === 'locked' && <SignInScreen key={current.operator.id} locked={current} />}
      </Fragment>
    </ServicesContext.Provider>
  );
}

function Pages() {
  const { steps } = usePageAddress();
  return <Fragment key={pageKey(steps)}>{pageAt(steps)}</Fragment>;
}
