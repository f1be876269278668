import { Fragment, useLayoutEffect, useRef, useSyncExternalStore } from 'react';
import { usePageAddress } from './address.ts';
import { pageKey } from './navigation.ts';
import { Shell } from './parts/shell.tsx';
import { pageAt } from './pages.tsx';
import { OwnPasswordScreen } from './screens/own-password.tsx';
import { SignInScreen } from './screens/sign-in.tsx';
import type { Services } from './services.ts';
import { ServicesContext } from './services.ts';
import type { Operator } from './session.ts';
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
          <Desk key={operator.id} operator={operator} isLocked={current.is === 'locked'} />
        )}
        {current.is === 'oneTime' && <OwnPasswordScreen />}
        {current.is === 'out' && <SignInScreen />}
        {current.is === 'locked' && <SignInScreen key={current.operator.id} locked={current} />}
      </Fragment>
    </ServicesContext.Provider>
  );
}

/** The desk of an operator. The unlock gives the focus back to where it was. */
function Desk({ operator, isLocked }: { readonly operator: Operator; readonly isLocked: boolean }) {
  const left = useRef<Element | null>(null);
  useLayoutEffect(() => {
    if (isLocked) left.current = document.activeElement;
    else if (left.current instanceof HTMLElement) left.current.focus({ preventScroll: true });
  }, [isLocked]);
  return (
    <div hidden={isLocked} inert={isLocked}>
      <Shell operator={operator}>
        <Pages />
      </Shell>
    </div>
  );
}

function Pages() {
  const { steps } = usePageAddress();
  return <Fragment key={pageKey(steps)}>{pageAt(steps)}</Fragment>;
}
