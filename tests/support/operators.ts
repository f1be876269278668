import { addOperator } from '../../server/src/auth/operators/accounts.ts';
import { openPasswords } from '../../server/src/auth/passwords.ts';
import { opsOperations } from '../../server/src/ops/operations.ts';
import type { OperatorRole } from '@tailgate/sync-protocol';
import type { RestClient } from './rest-client.ts';
import type { RestServer } from './rest-server.ts';

/** The own password of every operator. */
export const operatorPassword = 'seven grey lorries';

type Node = Pick<RestServer, 'database' | 'client' | 'clock'>;

/** A new operator's one-time password. */
export async function oneTimePassword(
  { database, clock }: Node,
  id: string,
  role: OperatorRole = 'look',
  name = `Clerk of ${role}`,
): Promise<string> {
  const passwords = await openPasswords({ memoryCost: 8, timeCost: 1, parallelism: 1 });
  const made = await addOperator(database.pool, { id, name, role, by: 'npm run ops' }, { passwords, now: clock.now });
  if (!made) throw new Error(`the operator ${id} exists`);
  return made.password;
}

export const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

/** Signs in, and returns the token of the session. */
export async function operatorToken(
  client: RestClient,
  operator: string,
  password = operatorPassword,
): Promise<string> {
  const { token } = await client.take(opsOperations.signInOperator, { body: { operator, password } });
  return token;
}

/** Signs in, and returns the headers of the session. */
export const signInOperator = async (client: RestClient, operator: string, password?: string) =>
  bearer(await operatorToken(client, operator, password));

/** Adds an operator with an own password, and returns the headers of their session. */
export async function operatorHeaders(node: Node, role: OperatorRole, id = role.toUpperCase()) {
  const current_password = await oneTimePassword(node, id, role);
  const headers = await signInOperator(node.client, id, current_password);
  const body = { current_password, new_password: operatorPassword };
  const { token } = await node.client.take(opsOperations.changeOperatorPassword, { headers, body });
  return bearer(token);
}
