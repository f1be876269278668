import type { Client } from '@tailgate/client-sdk';
import { ClientProvider, useDriver, useWatch } from '@tailgate/client-sdk/react';
import { Fragment, useState, useSyncExternalStore } from 'react';
import { useAddress } from '../ui/router.ts';
import { importing } from './importing.ts';
import { pageAt, takeOver } from './pages.tsx';
import { usePositionAt } from './position.ts';
import { OwnPasswordScreen } from './screens/own-password.tsx';
import { RegisterScreen } from './screens/register.tsx';
import type { OneTime } from './screens/sign-in.tsx';
import { SignInScreen } from './screens/sign-in.tsx';
import type { Services } from './services.ts';
import { ServicesContext } from './services.ts';
import { i18n } from './words/words.ts';

export interface AppProps extends Services {
  readonly client: Client;
}

/** The whole app. Another language renders all of it again, and what the driver has typed stays. */
export function App({ client, ...services }: AppProps) {
  useSyncExternalStore(i18n.subscribe, i18n.language);
  const { sample } = services;
  const pages = <Pages />;
  return (
    <ServicesContext.Provider value={services}>
      <ClientProvider client={client} uploads={services.uploads}>
        {sample ? (
          <div className="sample">
            <sample.Ribbon />
            {pages}
          </div>
        ) : (
          pages
        )}
      </ClientProvider>
    </ServicesContext.Provider>
  );
}

function Pages() {
  const driver = useDriver();
  const address = useAddress();
  const [oneTime, setOneTime] = useState<OneTime>();
  const isImporting = useWatch(importing);
  const [first = '', second] = address.steps;
  usePositionAt(driver && first === 'stop' ? second : undefined);

  if (oneTime) return <OwnPasswordScreen oneTime={oneTime} onDone={() => setOneTime(undefined)} />;
  if (!driver?.signedIn && first === 'register') return <RegisterScreen />;
  const isRescue = isImporting || first === 'hand-over' || first === 'take-over';
  if (!isRescue && (!driver || (first === 'sign-in' && !driver.signedIn)))
    return <SignInScreen onSignedIn={setOneTime} />;
  const { key, screen, sheet } = isImporting ? takeOver() : pageAt(address);
  return (
    <>
      <Fragment key={key}>{screen}</Fragment>
      {sheet !== undefined && sheet !== null && <Fragment key={`over ${address.path}`}>{sheet}</Fragment>}
    </>
  );
}
