import type { PasswordServer } from '@tailgate/client-sdk/passwords';
import type { ProofServer } from '@tailgate/client-sdk/proof';
import type { Uploads } from '@tailgate/client-sdk/uploads';
import type { ExportedQueue, Imported } from '@tailgate/client-sdk/rescue';
import type { ComponentType } from 'react';
import { createContext, useContext } from 'react';

/** The parts that a sample route adds to the app. */
export interface SampleParts {
  /** Above every screen. */
  readonly Ribbon: ComponentType;
  /** The sign-in without a password. */
  readonly SignIn: ComponentType;
}

/** Dependencies of the screens beside the client. */
export interface Services {
  readonly server: PasswordServer;
  readonly uploads: Uploads;
  /** Absent in a sample route. */
  readonly proofs?: ProofServer | undefined;
  /**
   * Adds the changes of another phone to this one's. The client is closed meanwhile; the app then has a new one.
   *
   * @throws StoreInUse where another page of the app runs the client
   */
  readonly importQueues: (queues: readonly ExportedQueue[]) => Promise<readonly Imported[]>;
  /** Present in a sample route. */
  readonly sample?: SampleParts | undefined;
}

export const ServicesContext = createContext<Services | undefined>(undefined);

export function useServices(): Services {
  const services = useContext(ServicesContext);
  if (!services) throw new Error('useServices: put a provider above this component');
  return services;
}
