import type { Stamp, StopResult } from '@tailgate/sync-protocol';
import type { CodeBook } from '../codes/code-book.ts';
import type { Actor, PathSet } from '../mutations/change.ts';
import type { CloseMode } from '../routes/closing.ts';
import type { RouteFacts } from '../routes/header.ts';
import type { PlanLines } from './plan-lines.ts';

/** What the rules know of a stop's plan. */
export interface PlanFacts {
  readonly lines: PlanLines;
  /** The host took this stop off the plan. */
  readonly removed: boolean;
  /** Since when it is this customer's; null: since it was first seen. */
  readonly customerSince: Date | null;
  /** Since when these lines are planned; null: since it was first seen. */
  readonly linesSince: Date | null;
}

/** What the rules know when they decide about one change of one stop. */
export interface StopContext {
  readonly route: RouteFacts;
  readonly result: StopResult;
  readonly plan: PlanFacts;
  /** Lines of the route's stops that their plans do not have. */
  readonly unknownLines: number;
  readonly codes: CodeBook;
  readonly actor: Actor;
  readonly paths: PathSet;
  readonly stamp: Stamp;
  readonly receivedAt: Date;
  readonly closeMode: CloseMode;
  readonly timerMs: number;
}
