import pg from 'pg';
import { reasonOf, StartError } from '../runtime/start-error.ts';

/**
 * A connection outside of any pool, for work before a start.
 * @param name of the connection, as PostgreSQL lists it
 * @throws StartError that names the setting, without the password, where the database cannot be reached
 */
export async function connectDirectly(url: string, name: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, application_name: name });
  await client.connect().catch((cause: unknown) => {
    throw new StartError(`the database cannot be reached: ${reasonOf(cause)} (DATABASE_URL)`, { cause });
  });
  return client;
}
