import type { Client } from '@tailgate/client-sdk';
import type { DriverHistory, StopValues } from './diary.ts';
import type { ExceptionNumbers } from './exceptions.ts';
import type { PhoneClock } from './phone-clock.ts';
import type { Plan } from './fixture.ts';
import type { Account } from './accounts.ts';
import type { Copies } from './copies.ts';
import type { Mailbox } from './mails.ts';
import type { Restores } from './restores.ts';
import type { Rulings } from './rulings.ts';

/** The real state that the invariants read, and what the world did to it. The model knows no class of either. */
export interface Evidence {
  readonly seed: number;
  /** In the time of the world. */
  readonly now: number;
  readonly db: Reader;
  readonly host: { query(text: string, values?: readonly string[]): Promise<readonly Row[]> };
  readonly drivers: readonly DriverEvidence[];
  readonly office: {
    readonly edits: readonly OfficeEdit[];
    readonly plan: Plan;
    readonly secondDrivers: readonly string[];
  };
  readonly requests: readonly RestRequest[];
  readonly rulings: Rulings;
  readonly copies: Copies;
  readonly mailbox: Mailbox;
  readonly restores: Restores;
  readonly accounts: ReadonlyMap<string, Account>;
  readonly exceptionNumbers: ExceptionNumbers;
  readonly sweeps: readonly Sweep[];
}

/** A server looks for routes that are due. */
export interface Sweep {
  readonly at: number;
  /** The server was not killed meanwhile. */
  readonly isDone: boolean;
}

export interface Reader {
  query<Found extends Row>(text: string, values?: unknown[]): Promise<Rows<Found>>;
}

interface Rows<Found> {
  readonly rows: readonly Found[];
}

export type Row = Readonly<Record<string, unknown>>;

export interface DriverEvidence {
  readonly employee: string;
  /** The stop that no other driver touches. */
  readonly own: number;
  readonly history: DriverHistory;
  readonly hasPhone: boolean;
  readonly isSignedIn: boolean;
  readonly phone: {
    readonly employee: string;
    readonly clock: PhoneClock;
    readonly app: Client | undefined;
    readonly files: { rows(): Promise<readonly { value: unknown; bytes: Buffer }[]> };
  };
}

/** The values that a clerk wrote on the host, or an operator in a repair. */
export interface OfficeEdit {
  readonly stop: number;
  readonly values: StopValues;
  /** In the time of the world. */
  readonly at: number;
  /** The clerk, or the operator who repaired the stop through the product. */
  readonly by: string;
}

/** A change by REST. The client repeats it with the same key until an answer comes. */
export interface RestRequest {
  readonly id: string;
  readonly stop: number;
  readonly values: StopValues;
  /** Which of the two path sets: their rules of stop 999 differ. */
  readonly isByV20: boolean;
  readonly employee: string;
  /** REST edits count from their receipt. */
  readonly sentAt: readonly number[];
  readonly isAnswered: boolean;
}

/** A row of the ledger beside the deed that it has to contain. */
export interface Edit {
  readonly id: string;
  readonly source: 'sync' | 'office' | 'rest' | 'timer';
  readonly isByV20: boolean;
  readonly stop: number;
  /** As the ledger has it. */
  readonly employee: string;
  readonly clientId: string | null;
  readonly version: number;
  /** Of its queue. */
  readonly seq: number | null;
  /** As the ledger has it; ms. */
  readonly editTime: number;
  /** As the ledger has it; ms. */
  readonly receivedAt: number;
  /** As the ledger has them. */
  readonly stored: StopValues;
  /** What the person recorded; undefined where nobody did. */
  readonly values: StopValues | undefined;
  /** When it happened. Undefined where no clock of the phone can show that, or where nobody recorded it. */
  readonly at: number | undefined;
  /** When the driver tapped the end of the delivery, whatever the phone's clock showed. */
  readonly endedAt: number | undefined;
  /** When the driver tapped the skip or the refusal, where that recorded a time. */
  readonly skippedAt: number | undefined;
}
