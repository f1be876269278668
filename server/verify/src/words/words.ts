import type { Finding, FaultCode } from '../fault.ts';
import type { Check, CheckName, CheckState, Outcome } from '../verify-pack.ts';
import { en } from './en.ts';
import { es } from './es.ts';

/** The sentences of one language. */
export interface VerifyWords {
  readonly outcomes: Readonly<Record<Outcome, string>>;
  readonly states: Readonly<Record<CheckState, string>>;
  /** The subject of a check. @param count of the things that were compared */
  readonly checks: Readonly<Record<CheckName, (count: number) => string>>;
  /** A proof that the pack does not have. */
  readonly absent: Readonly<Partial<Record<CheckName, string>>>;
  readonly findings: Readonly<Record<FaultCode, (about: string) => string>>;
}

const languages = { en, es } as const;
export type Language = keyof typeof languages;

export interface CheckLine {
  readonly state: CheckState;
  /** `ok`, `WRONG`. */
  readonly mark: string;
  readonly text: string;
  /** A sentence for each finding. */
  readonly details: readonly string[];
}

/** A check in words. */
export function lineOf({ check, state, count, findings }: Check, language: Language): CheckLine {
  const words = languages[language];
  const text = (state === 'absent' && words.absent[check]) || words.checks[check](count);
  return { state, mark: words.states[state], text, details: findings.map((finding) => detailOf(finding, language)) };
}

const detailOf = ({ code, about }: Finding, language: Language): string => languages[language].findings[code](about);

export const outcomeWords = (outcome: Outcome, language: Language): string => languages[language].outcomes[outcome];
