import type { ReactElement, ReactNode } from 'react';
import { createContext, createElement, useContext, useMemo } from 'react';
import type { Client } from '../client.ts';
import type { UploadStatus } from '../uploads/uploads.ts';
import type { Watch } from '../platform/watch.ts';

/** The part of the app's uploads that components show; the result of `openUploads` has it. */
export interface ShownUploads {
  readonly status: Watch<UploadStatus>;
}

interface Provided {
  readonly client: Client;
  readonly uploads: ShownUploads | undefined;
}

const ClientContext = createContext<Provided | undefined>(undefined);

/** Provides the app's client and its optional uploads to components. The app that creates them also closes them. */
export function ClientProvider({
  client,
  uploads,
  children,
}: {
  readonly client: Client;
  readonly uploads?: ShownUploads;
  readonly children?: ReactNode;
}): ReactElement {
  const value = useMemo((): Provided => ({ client, uploads }), [client, uploads]);
  return createElement(ClientContext.Provider, { value }, children);
}

/** The client of the nearest `ClientProvider`. @throws Error without a provider above this component */
export function useClient(): Client {
  return useProvided().client;
}

/** The uploads of the provider. @throws Error where it has none */
export function useShownUploads(): ShownUploads {
  const { uploads } = useProvided();
  if (!uploads) throw new Error('useUploads: give <ClientProvider> the uploads, too');
  return uploads;
}

function useProvided(): Provided {
  const provided = useContext(ClientContext);
  if (!provided) throw new Error('useClient: put a <ClientProvider client={…}> above this component');
  return provided;
}
