import type { ReactElement, ReactNode } from 'react';
import { createContext, createElement, useContext, useMemo } from 'react';
import type { Client } from '../client.ts';
import type { UploadStatus } from '../uploads/uploads.ts';
import type { Watch } from '../platform/watch.ts';

/** What of the app's uploads is shown: what `openUploads` gives has it. */
export interface ShownUploads {
  readonly status: Watch<UploadStatus>;
}

interface Provided {
  readonly client: Client;
  readonly uploads: ShownUploads | undefined;
}

const ClientContext = createContext<Provided | undefined>(undefined);

/** Gives the components below it the app's one client, and its files where it has any; who makes them also closes them. */
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

/** The client of the nearest `ClientProvider`. @throws Error where there is none above this component */
export function useClient(): Client {
  return useProvided().client;
}

/** Its files. @throws Error where the provider was given none */
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
