import type { OperatorRole } from '@tailgate/sync-protocol';
import { isOperatorId, operatorRoles } from '../../auth/operators/accounts.ts';
import type { Operator } from '../../auth/operators/sessions.ts';
import type { Claims } from './provider.ts';

/** The claims that make a person an operator. */
export interface ClaimNames {
  /** The claim with the operator's id. */
  readonly id: string;
  /** The claim with roles or groups: one text, or a list. */
  readonly role: string;
  /** The value of that claim for each role. */
  readonly roles: Readonly<Record<OperatorRole, string>>;
}

export type Mapped =
  { readonly kind: 'operator'; readonly operator: Operator } | { readonly kind: 'unmapped'; readonly why: string };

const longestName = 40;

/** The operator whom claims describe, with the highest of their roles. */
export function operatorOf(claims: Claims, names: ClaimNames): Mapped {
  const written = claims[names.id];
  const id = typeof written === 'string' ? written.toUpperCase() : '';
  if (!isOperatorId(id))
    return { kind: 'unmapped', why: `The claim ${names.id} must be 1 to 10 letters and digits, the operator’s id.` };
  const held = claims[names.role];
  const values: readonly unknown[] = Array.isArray(held) ? held : [held];
  const role = operatorRoles.findLast((each) => values.includes(names.roles[each]));
  if (!role) return { kind: 'unmapped', why: `The claim ${names.role} names no role of this server.` };
  const name = typeof claims['name'] === 'string' ? claims['name'].trim().slice(0, longestName) : '';
  return { kind: 'operator', operator: { id, name: name || id, role } };
}
