import { hostMoment } from '../files/local-time.ts';

const A_DAY_MS = 86_400_000;
/** An open route of an older week is a header that no program has closed, and no day's work. */
const OPEN_DAYS = 56;
/** Closed routes of older weeks are history. */
const CLOSED_DAYS = 8;

/** The weeks of imported routes, by the day on which a week ends (YYYYMMDD). */
export interface ImportedWeeks {
  /** Routes of earlier weeks are not imported, and open ones among them are withdrawn (decision 77). */
  readonly openFrom: string;
  /** Closed routes of earlier weeks are not compared any more. */
  readonly closedFrom: string;
}

/** @param importFrom the setting IMPORT_FROM; without it the weeks follow the clock */
export function importedWeeks(now: Date, importFrom: string | undefined): ImportedWeeks {
  const daysAgo = (days: number) => hostMoment(new Date(now.getTime() - days * A_DAY_MS), 'UTC').date;
  const openFrom = importFrom ?? daysAgo(OPEN_DAYS);
  const recent = daysAgo(CLOSED_DAYS);
  return { openFrom, closedFrom: recent > openFrom ? recent : openFrom };
}
