// Types only: apps load this module on demand, and it must not pull the core in with it.
import type { DeviceTime } from '../connection/device-time.ts';
import type { State } from '../connection/machine.ts';
import type { SyncEngine } from './sync-engine.ts';
import type { Clock, Environment } from '../platform/environment.ts';
import type { Outbox } from '../queue/outbox.ts';
import type { StopDrafts } from '../queue/stop-drafts.ts';
import type { Replica } from '../replica/replica.ts';
import type { Accounts } from '../session/accounts.ts';
import type { Status, Trouble } from './status.ts';

/**
 * The state of a device, for support. It contains no token, no queue key, no name and no recorded content. Times are in
 * ms since 1970 by the device's clock.
 */
export interface Diagnostics {
  readonly takenAt: number;
  readonly sdk: string;
  readonly app: string;
  readonly device: string;
  /** The server's address, without credentials and query. */
  readonly server: string;
  readonly protocol: number;
  /** The epoch of the server's database; undefined before the first welcome of this run. */
  readonly epoch: string | undefined;
  readonly clock: {
    readonly bootId: string;
    /** `ms`: the server's clock less this device's clock. `errorMs`: the largest possible error of that (ms). */
    readonly offset: { readonly ms: number; readonly errorMs: number } | undefined;
  };
  readonly status: Omit<Status, 'names'>;
  readonly accounts: readonly AccountDiagnostics[];
  readonly queues: readonly QueueDiagnostics[];
  readonly scopes: readonly ScopeDiagnostics[];
  /** Stored rows that could not be read; the store retains them. */
  readonly damaged: readonly string[];
  /** Faults of this run, the latest last. */
  readonly troubles: readonly Trouble[];
}

/** A driver who has used the device. */
export interface AccountDiagnostics {
  readonly employee: string;
  readonly signedIn: boolean;
  /** Signed out on this device; the server has not confirmed it yet. */
  readonly leaving: boolean;
  readonly sessionEndsAt: number | undefined;
  /** Scopes of the driver's routes. */
  readonly routes: readonly string[];
  /** The number of half-filled stops. */
  readonly drafts: number;
}

/** A queue of the device. */
export interface QueueDiagnostics {
  readonly clientId: string;
  readonly employee: string;
  /** Forked: its waiting changes went on in another queue. */
  readonly retired: boolean;
  /** Whether the queue can drain without a session. */
  readonly hasKey: boolean;
  readonly connection: State['at'];
  readonly epoch: string | null;
  readonly sealedSeq: number;
  readonly waiting: number;
  /** Changes that the server has answered and the back office's tables do not contain yet. */
  readonly unhosted: number;
  /** All stored items of the queue, finished ones included. */
  readonly items: number;
}

/** A scope of the local replica. */
export interface ScopeDiagnostics {
  readonly scope: string;
  readonly epoch: string;
  readonly version: number;
  readonly hostedThrough: number;
  readonly parkedStops: readonly number[];
  readonly documents: number;
}

/** The parts that `takeDiagnostics` reads. */
interface Parts {
  readonly url: string;
  readonly device: string;
  readonly app: string;
  readonly environment: Environment;
  readonly time: DeviceTime;
  readonly accounts: Accounts;
  readonly drafts: StopDrafts;
  readonly engine: SyncEngine;
  readonly outbox: Outbox;
  readonly replica: Replica;
}

export function takeDiagnostics(
  { accounts, drafts, engine, outbox, replica, time, environment, app, device, url }: Parts,
  build: Pick<Diagnostics, 'sdk' | 'protocol'>,
): Diagnostics {
  const { names: _, ...status } = engine.status.current;
  return {
    takenAt: environment.clock.now(),
    ...build,
    app,
    device,
    server: placeOf(url),
    epoch: engine.epoch,
    clock: { bootId: time.id, offset: offsetNow(time, environment.clock) },
    status,
    accounts: [...accounts.all].map(({ employee, token, leaving, ends_at, routes }) => ({
      employee,
      signedIn: token !== null,
      leaving,
      sessionEndsAt: ends_at,
      routes: routes.map(({ scope }) => scope),
      drafts: [...drafts.keys].filter((key) => key.startsWith(`draft/${employee}/`)).length,
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

/** The server's time less the device's (ms), as far as it was measured. */
function offsetNow({ best }: DeviceTime, clock: Clock): Diagnostics['clock']['offset'] {
  return best && { ...best, ms: clock.monotonic() + best.ms - clock.now() };
}

/** The address without its secret parts: credentials and query. React Native's `URL` cannot take an address apart. */
const placeOf = (url: string): string => url.replace(/[?#].*$/s, '').replace(/\/\/[^/]*@/, '//');
