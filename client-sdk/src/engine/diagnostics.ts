// Types alone: this is loaded by who asks, and must not take the core with it.
import type { DeviceTime } from '../connection/device-time.ts';
import type { State } from '../connection/machine.ts';
import type { SyncEngine } from './sync-engine.ts';
import type { Clock, Environment } from '../platform/environment.ts';
import type { Outbox } from '../queue/outbox.ts';
import type { Replica } from '../replica/replica.ts';
import type { Accounts } from '../session/accounts.ts';
import type { Status, Trouble } from './status.ts';

/**
 * How a device stands, to be sent to support: no token, no queue key, no name, and nothing of what was recorded. Times
 * are in ms since 1970 by the device's clock.
 */
export interface Diagnostics {
  readonly takenAt: number;
  readonly sdk: string;
  readonly app: string;
  readonly device: string;
  /** Where the server is, without credentials and query. */
  readonly server: string;
  readonly protocol: number;
  /** The life of the server's database; undefined before the first welcome of this run. */
  readonly epoch: string | undefined;
  readonly clock: {
    readonly bootId: string;
    /** What has to be added to this device's clock to get the server's, and how wrong that may be (ms). */
    readonly offset: { readonly ms: number; readonly errorMs: number } | undefined;
  };
  readonly status: Status;
  readonly accounts: readonly AccountDiagnostics[];
  readonly queues: readonly QueueDiagnostics[];
  readonly scopes: readonly ScopeDiagnostics[];
  /** Stored rows that could not be read; they are kept. */
  readonly damaged: readonly string[];
  /** What went wrong in this run, the latest last. */
  readonly troubles: readonly Trouble[];
}

/** A driver who has used the device. */
export interface AccountDiagnostics {
  readonly employee: string;
  readonly signedIn: boolean;
  /** Signed out here, and the server does not know it yet. */
  readonly leaving: boolean;
  readonly sessionEndsAt: number | undefined;
  /** Scopes of their routes. */
  readonly routes: readonly string[];
}

/** A queue of the device. */
export interface QueueDiagnostics {
  readonly clientId: string;
  readonly employee: string;
  /** Forked: what waited went on in another queue. */
  readonly retired: boolean;
  /** Whether it can drain without a session. */
  readonly hasKey: boolean;
  readonly connection: State['at'];
  readonly epoch: string | null;
  readonly sealedSeq: number;
  readonly waiting: number;
  /** Answered by the server, and not yet in the tables of the back office. */
  readonly unhosted: number;
  /** All that is kept of it, what is long done included. */
  readonly items: number;
}

/** A scope that the device holds. */
export interface ScopeDiagnostics {
  readonly scope: string;
  readonly epoch: string;
  readonly version: number;
  readonly hostedThrough: number;
  readonly parkedStops: readonly number[];
  readonly documents: number;
}

/** What is looked at. */
interface Parts {
  readonly url: string;
  readonly device: string;
  readonly app: string;
  readonly environment: Environment;
  readonly time: DeviceTime;
  readonly accounts: Accounts;
  readonly engine: SyncEngine;
  readonly outbox: Outbox;
  readonly replica: Replica;
}

/** Loaded by who asks. */
export function takeDiagnostics(
  { accounts, engine, outbox, replica, time, environment, app, device, url }: Parts,
  build: Pick<Diagnostics, 'sdk' | 'protocol'>,
): Diagnostics {
  return {
    takenAt: environment.clock.now(),
    ...build,
    app,
    device,
    server: placeOf(url),
    epoch: engine.epoch,
    clock: { bootId: time.id, offset: offsetNow(time, environment.clock) },
    status: engine.status.current,
    accounts: [...accounts.all].map(({ employee, token, leaving, ends_at, routes }) => ({
      employee,
      signedIn: token !== null,
      leaving,
      sessionEndsAt: ends_at,
      routes: routes.map(({ scope }) => scope),
    })),
    queues: [...outbox.queues].map((queue) => ({
      clientId: queue.head.client_id,
      employee: queue.head.employee,
      retired: queue.head.retired,
      hasKey: queue.head.queue_key !== null,
      connection:
        engine.queueConnections.find((queueConnection) => queueConnection.queue === queue)?.state.at ?? 'resting',
      epoch: queue.head.epoch,
      sealedSeq: queue.head.sealed_seq,
      waiting: queue.waiting.size,
      unhosted: queue.answered.size,
      items: queue.items.length,
    })),
    scopes: [...replica.scopes.values()].flatMap(({ scope, head, documents }) =>
      head
        ? {
            scope,
            epoch: head.epoch,
            version: head.version,
            hostedThrough: head.hosted_through,
            parkedStops: head.parked,
            documents: documents.size,
          }
        : [],
    ),
    damaged: outbox.damaged,
    troubles: [...engine.troubles],
  };
}

/** The server's time less the device's, as far as it was measured; ms. */
function offsetNow({ best }: DeviceTime, clock: Clock): Diagnostics['clock']['offset'] {
  return best && { ...best, ms: clock.monotonic() + best.ms - clock.now() };
}

/** Where the server is, without what may be secret: a name with a password, a query. React Native's `URL` has no parts. */
const placeOf = (url: string): string => url.replace(/[?#].*$/s, '').replace(/\/\/[^/]*@/, '//');
