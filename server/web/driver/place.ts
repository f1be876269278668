import type { SharedStore } from '@tailgate/client-sdk';
import type { AppProps } from './app.tsx';

/** The place of the app's data: on a driver's phone, or on a sample route. */
export interface Place {
  readonly store: SharedStore;
  /** Opens a client on the store: at the start, and after an import. */
  readonly open: () => Promise<Omit<AppProps, 'importQueues'>>;
}
