import type { Client } from '@tailgate/client-sdk';
import type { DriverHistory, StopValues } from './diary.ts';
import type { ExceptionNumbers } from './exceptions.ts';
import type { PhoneClock } from './phone-clock.ts';
import type { Plan } from './plan.ts';

/** The real state that the invariants read, and what the world did to it. The model knows no class of either. */
export interface Evidence {
  readonly seed: number;
  /** In the time of the world. */
  readonly now: number;
  readonly db: Reader;
  readonly host: { query(text: string, values?: readonly string[]): Promise<readonly Row[]> };
  readonly drivers: readonly DriverEvidence[];
  readonly office: { readonly edits: readonly OfficeEdit[]; readonly plan: Plan };
  readonly requests: readonly RestRequest[];
  readonly exceptionNumbers: ExceptionNumbers;
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

/** The values that a clerk wrote on the host. */
export interface OfficeEdit {
  readonly stop: number;
  readonly values: StopValues;
  /** In the time of the world. */
  readonly at: number;
}

/** A change by REST. The client repeats it with the same key until an answer comes. */
export interface RestRequest {
  readonly id: string;
  readonly stop: number;
  readonly values: StopValues;
  readonly employee: string;
  /** REST edits count from their receipt. */
  readonly sentAt: readonly number[];
  readonly isAnswered: boolean;
}
