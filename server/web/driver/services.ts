import type { Uploads } from '@tailgate/client-sdk/uploads';
import type { ExportedQueue, Imported } from '@tailgate/client-sdk/rescue';
import { createContext, useContext } from 'react';

/** Dependencies of the screens beside the client. */
export interface Services {
  /** The server, without `/api`. */
  readonly url: string;
  readonly uploads: Uploads;
  /**
   * Adds the changes of another phone to this one's. The client is closed meanwhile; the app then has a new one.
   *
   * @throws StoreInUse where another page of the app runs the client
   */
  readonly importQueues: (queues: readonly ExportedQueue[]) => Promise<readonly Imported[]>;
}

export const ServicesContext = createContext<Services | undefined>(undefined);

export function useServices(): Services {
  const services = useContext(ServicesContext);
  if (!services) throw new Error('useServices: put a provider above this component');
  return services;
}
