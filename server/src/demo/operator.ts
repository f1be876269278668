import { join } from 'node:path';
import type { AuthDeps } from '../auth/deps.ts';
import { ensureDemoOperator } from '../auth/operators/accounts.ts';
import type { Queryable } from '../db/types.ts';
import { storeSecret } from '../runtime/kept-secret.ts';

/** A random password in a file, as the ops token has one, so that each start of a demo prints the same. */
export async function demoOperatorOf(
  dataDir: string,
  { db, passwords }: Pick<AuthDeps, 'passwords'> & { readonly db: Queryable },
  now: Date,
): Promise<{ id: string; password: string } | undefined> {
  const { secret: password } = await storeSecret(join(dataDir, 'demo-operator'));
  const id = await ensureDemoOperator(db, password, { passwords, now });
  return id === undefined ? undefined : { id, password };
}
