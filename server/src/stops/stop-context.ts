import type { Stamp, StopResult } from '@tailgate/sync-protocol';
import type { CodeBook } from '../codes/code-book.ts';
import type { Actor, PathSet } from '../mutations/change.ts';
import type { CloseMode } from '../routes/closing.ts';
import type { RouteFacts } from '../routes/header.ts';
import type { PlanLines } from './plan-lines.ts';

/** The parts of a stop's plan that the rules read. */
export interface PlanFacts {
  readonly lines: PlanLines;
  /** The host has removed this stop from the plan. */
  readonly removed: boolean;
  /** When the stop got this customer; null: with its first import. */
  readonly customerSince: Date | null;
  /** When the plan got these lines; null: with its first import. */
  readonly linesSince: Date | null;
}

/** The input of the rules for one change of one stop. */
export interface StopContext {
  readonly route: RouteFacts;
  readonly result: StopResult;
  readonly plan: PlanFacts;
  /** Lines of the route's stops that are not on their plans. */
  readonly unknownLines: number;
  readonly codes: CodeBook;
  readonly actor: Actor;
  readonly paths: PathSet;
  readonly stamp: Stamp;
  readonly receivedAt: Date;
  readonly closeMode: CloseMode;
  readonly timerMs: number;
}
