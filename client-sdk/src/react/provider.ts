import type { FunctionComponentElement, ProviderProps, ReactNode } from 'react';
import { createContext, createElement, useContext } from 'react';
import type { Client } from '../client.ts';

const ClientContext = createContext<Client | undefined>(undefined);

/** Gives the components below it the app's one client; who makes the client also closes it. */
export function ClientProvider(props: {
  readonly client: Client;
  readonly children?: ReactNode;
}): FunctionComponentElement<ProviderProps<Client | undefined>> {
  return createElement(ClientContext.Provider, { value: props.client }, props.children);
}

/** The client of the nearest `ClientProvider`. @throws Error where there is none above this component */
export function useClient(): Client {
  const client = useContext(ClientContext);
  if (!client) throw new Error('useClient: put a <ClientProvider client={…}> above this component');
  return client;
}
