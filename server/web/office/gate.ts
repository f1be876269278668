import { useState } from 'react';
import { operatorOf, session } from './session.ts';

/** The decision of another operator. */
export interface First {
  readonly by: string;
  /** ISO 8601. */
  readonly at: string;
  /** Its operation; undefined for an edit on the host. */
  readonly act?: string | undefined;
}

/**
 * Keeps the acts on one subject back while there is a decision of another operator that this one has not confirmed. The
 * decision that a page shows when it opens is known.
 */
export interface Gate {
  /** The latest decision of another operator since the page was opened. */
  readonly first: First | undefined;
  /** The operator has not confirmed it: no act runs. */
  readonly isShut: boolean;
  /** The time of the latest decision that the operator has read. */
  readonly seen: string | undefined;
  /** Takes the decision from a refusal. */
  readonly shut: (first: First) => void;
  readonly confirm: () => void;
  /** An own act is done. */
  readonly pass: () => void;
}

/** @param shown the latest decision on the subject, as the page shows it now */
export function useGate(shown?: First | null): Gate {
  const [opened] = useState(shown?.at);
  const [refused, setRefused] = useState<First>();
  const [confirmed, setConfirmed] = useState<string>();
  const latest = refused && timeOf(refused.at) >= timeOf(shown?.at) ? refused : (shown ?? undefined);
  const isMine = latest?.by === operatorOf(session.current)?.id;
  const first = latest && !isMine && timeOf(latest.at) > timeOf(opened) ? latest : undefined;
  return {
    first,
    isShut: first !== undefined && timeOf(first.at) > timeOf(confirmed),
    seen: confirmed ?? opened,
    shut: setRefused,
    confirm: () => setConfirmed(first?.at),
    pass: () => setRefused(undefined),
  };
}

const timeOf = (at: string | undefined): number => (at === undefined ? -Infinity : Date.parse(at));
