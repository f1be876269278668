import { operations } from '@tailgate/sync-protocol';
import type { Queryable } from '../../server/src/db/types.ts';
import type { RestClient, Signed } from './rest-client.ts';

/** The password of every driver. */
export const password = 'on the road';

/** Writes employees without a route into the master, as the import would have. */
export async function insertEmployees(db: Queryable, ids: readonly string[], { active = true } = {}): Promise<void> {
  await db.query(
    `insert into employee (id, name, phone, active, facility, job)
     select id, 'Driver ' || id, '', $2, 'F01', 'DRIVER' from unnest($1::text[]) as k (id)`,
    [ids, active],
  );
}

export async function signUp(client: RestClient, employee_id: string): Promise<Signed> {
  const { api_token } = await client.take(operations.signUp, { body: { employee_id, password } });
  return { employee_id, api_token };
}

export async function signIn(client: RestClient, employee_id: string, more: object = {}): Promise<Signed> {
  const { api_token } = await client.take(operations.signIn, { body: { employee_id, password, ...more } });
  return { employee_id, api_token };
}
