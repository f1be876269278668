import { createSignal } from '../ui/signal.ts';

/** The rights of an operator; each role includes those before it. */
export type Role = 'look' | 'repair' | 'admin';

export interface Operator {
  readonly id: string;
  readonly name: string;
  readonly role: Role;
}

/**
 * Who works here. `locked`: the operator was away or the server has ended the session; their page stays in memory behind
 * the lock. `oneTime`: the session of a one-time password, which only chooses an own one.
 */
export type Session =
  | { readonly is: 'out' }
  | { readonly is: 'locked'; readonly operator: Operator; readonly why: 'idle' | 'asked' | 'ended' }
  | {
      readonly is: 'oneTime' | 'in';
      readonly operator: Operator;
      readonly token: string;
      readonly idleMinutes: number;
    };

const roles: readonly Role[] = ['look', 'repair', 'admin'];
const storageKey = 'tailgate-operator';
const draftPrefix = 'tailgate-draft/';

/** The session lives in this tab alone: in memory, and in `sessionStorage` for a reload. No cookie (decision 19). */
export const session = createSignal<Session>({ is: 'out' });

/** Whether the operator may do what needs this role. The page behind the lock stays as it is. */
export const may = (role: Role): boolean => {
  const { current } = session;
  const isHere = current.is === 'in' || current.is === 'locked';
  return isHere && roles.indexOf(current.operator.role) >= roles.indexOf(role);
};

export const tokenOf = (current: Session): string | undefined => ('token' in current ? current.token : undefined);

export function begin(next: Session): void {
  const before = operatorOf(session.current);
  const after = operatorOf(next);
  // Another operator starts with an empty desk.
  if (before && before.id !== after?.id) forgetDrafts();
  session.set(next);
  keep(next);
}

/** Locks the page. What is on it stays in memory. */
export function lock(why: 'idle' | 'asked' | 'ended'): void {
  const operator = operatorOf(session.current);
  if (operator && session.current.is !== 'locked') begin({ is: 'locked', operator, why });
}

export const operatorOf = (current: Session): Operator | undefined =>
  'operator' in current ? current.operator : undefined;

/** Takes up the session of this tab after a reload. */
export function resume(): void {
  const kept = read(storageKey);
  if (isSession(kept)) session.set(kept);
}

function keep(next: Session): void {
  if (next.is === 'out') sessionStorage.removeItem(storageKey);
  else sessionStorage.setItem(storageKey, JSON.stringify(next));
}

/** A half-written form of this tab, by a name of its own. It outlives a reload and the lock, and ends with the sign-out. */
export const drafts = {
  read: (name: string): unknown => read(draftPrefix + name),
  write: (name: string, value: unknown): void => sessionStorage.setItem(draftPrefix + name, JSON.stringify(value)),
  remove: (name: string): void => sessionStorage.removeItem(draftPrefix + name),
};

function forgetDrafts(): void {
  for (const key of Object.keys(sessionStorage)) if (key.startsWith(draftPrefix)) sessionStorage.removeItem(key);
}

function read(key: string): unknown {
  const text = sessionStorage.getItem(key);
  return text === null ? undefined : JSON.parse(text);
}

const isSession = (value: unknown): value is Session => value instanceof Object && 'is' in value;
