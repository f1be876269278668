import { createContext, useContext } from 'react';
import type { Api } from './api/api.ts';
import type { Live } from './api/live.ts';

/** The screens' access to the server. */
export interface Services {
  readonly api: Api;
  readonly live: Live;
}

export const ServicesContext = createContext<Services | undefined>(undefined);

export function useServices(): Services {
  const services = useContext(ServicesContext);
  if (!services) throw new Error('the console has no services around this component');
  return services;
}
