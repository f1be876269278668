import type { Uploads } from '@tailgate/client-sdk/uploads';
import { createContext, useContext } from 'react';

/** Dependencies of the screens beside the client. */
export interface Services {
  /** The server, without `/api`. */
  readonly url: string;
  readonly uploads: Uploads;
}

export const ServicesContext = createContext<Services | undefined>(undefined);

export function useServices(): Services {
  const services = useContext(ServicesContext);
  if (!services) throw new Error('useServices: put a provider above this component');
  return services;
}
