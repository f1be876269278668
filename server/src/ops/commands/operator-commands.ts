import type { OperatorRole } from '@tailgate/sync-protocol';
import {
  addOperator,
  isOperatorId,
  listOperators,
  operatorRoles,
  readRevocation,
  resetOperator,
  revokeOperator,
  type OneTimePassword,
  type OperatorAccount,
} from '../../auth/operators/accounts.ts';
import { openPasswords } from '../../auth/passwords.ts';
import { recordAct } from '../../acts/sql.ts';
import { withTransaction } from '../../db/transaction.ts';
import type { Db, Tx } from '../../db/types.ts';
import { readWords } from '../../runtime/command-line.ts';
import { StartError } from '../../runtime/start-error.ts';

// `npm run ops -- operator …`: named operators of the office.

export const operatorCommands = {
  operator: {
    takes: 'add ID --name NAME --role look|repair|admin | reset ID | revoke ID | list',
    does: 'adds an operator with a one-time password, replaces a password, ends an operator, or lists all',
  },
} as const;

export type OperatorCommand = { readonly verb: 'operator' } & (
  | { readonly act: 'add'; readonly id: string; readonly name: string; readonly role: OperatorRole }
  | { readonly act: 'reset'; readonly id: string }
  | { readonly act: 'revoke'; readonly id: string }
  | { readonly act: 'list' }
);

const longestName = 40;

/** @returns undefined where the arguments do not match the manual */
export function parseOperatorCommand(argv: readonly string[]): OperatorCommand | undefined {
  const text = { type: 'string' } as const;
  const { positionals, values } = readWords(argv, { name: text, role: text });
  const [verb, act, word, more] = positionals;
  const { name, role: wanted } = values;
  if (verb !== 'operator' || more !== undefined) return undefined;
  if (act === 'list' && word === undefined && name === undefined && wanted === undefined) return { verb, act };
  if (word === undefined) return undefined;
  const id = word.toUpperCase();
  if (!isOperatorId(id)) throw new StartError(`ID: expected 1 to 10 of A–Z and 0–9, got ${JSON.stringify(word)}`);
  if (act === 'add') {
    if (name === undefined || wanted === undefined) return undefined;
    const role = operatorRoles.find((each) => each === wanted);
    if (!role)
      throw new StartError(`--role: expected one of ${operatorRoles.join(', ')}, got ${JSON.stringify(wanted)}`);
    return { verb, act, id, name: readName(name), role };
  }
  if (name !== undefined || wanted !== undefined) return undefined;
  return act === 'reset' || act === 'revoke' ? { verb, act, id } : undefined;
}

function readName(written: string): string {
  const name = written.trim();
  if (name === '' || name.length > longestName)
    throw new StartError(`--name: expected 1 to ${longestName} characters, got ${name.length}`);
  return name;
}

const by = 'npm run ops';

/** @returns what to show */
export async function runOperatorCommand(command: OperatorCommand, db: Db, now: Date): Promise<string> {
  if (command.act === 'list') return describeAll(await listOperators(db));
  const { id } = command;
  if (command.act === 'revoke') {
    const isRevoked = await withTransaction(db, async (tx) => {
      const found = await revokeOperator(tx, id, by, now);
      if (found) await record(tx, 'revokeOperator', id, { revoked_at: now });
      return found;
    });
    if (!isRevoked) throw new StartError(await whyNotRevoked(db, id));
    return `${id} is revoked: all sessions have ended. The name stays with its acts.`;
  }
  const deps = { passwords: await openPasswords(), now };
  if (command.act === 'reset') {
    const made = await withTransaction(db, async (tx) => {
      const password = await resetOperator(tx, id, deps);
      if (password) await record(tx, 'resetOperator', id, { one_time_password_until: password.until });
      return password;
    });
    if (!made) throw new StartError(`${unknown(id)}, or the identity provider signs it in`);
    const { replaces } = made;
    const replaced = replaces && ` It replaces the one-time password of ${replaces.toISOString()}, which was not used.`;
    return `${describe(made, `All sessions of ${id} have ended.`)}${replaced ?? ''}`;
  }
  const { name, role } = command;
  const made = await withTransaction(db, async (tx) => {
    const password = await addOperator(tx, { id, name, role, by }, deps);
    if (password) await record(tx, 'addOperator', id, { name, role });
    return password;
  });
  if (!made) throw new StartError(`the operator ${id} exists (npm run ops -- operator reset ${id} makes a password)`);
  return describe(made, `${id} is an operator with the role ${role}.`);
}

const record = (tx: Tx, act: string, id: string, after: object): Promise<void> =>
  recordAct(tx, { by, act, subject: { kind: 'operator', id }, reason: '', before: null, after });

async function whyNotRevoked(db: Db, id: string): Promise<string> {
  const first = await readRevocation(db, id);
  return first ? `${id} was revoked before, at ${first.at.toISOString()} by ${first.by}` : unknown(id);
}

const unknown = (id: string): string => `there is no operator ${id} (npm run ops -- operator list)`;

const describe = ({ password, until }: OneTimePassword, first: string): string =>
  `${password}\nThis one-time password is shown this once. The first sign-in asks for an own one, until ${until.toISOString()}. ${first}`;

const describeAll = (operators: readonly OperatorAccount[]): string =>
  operators.length === 0
    ? 'There is no operator (npm run ops -- operator add ID --name NAME --role ROLE).'
    : operators.map(lineOf).join('\n');

function lineOf({ id, name, role, mustChangePassword, lastSeenAt, revokedAt, revokedBy }: OperatorAccount): string {
  const state = revokedAt
    ? `revoked ${revokedAt.toISOString()} by ${revokedBy}`
    : mustChangePassword
      ? 'one-time password'
      : 'active';
  const seen = lastSeenAt ? `last seen ${lastSeenAt.toISOString()}` : 'never seen';
  return `${id.padEnd(10)} ${role.padEnd(6)} ${name}, ${state}, ${seen}`;
}
