import pg from 'pg';
import { StartError } from '../runtime/start-error.ts';

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

/** For a host name with several addresses the error has one error for each, and no message. */
export function reasonOf(cause: unknown): string {
  if (cause instanceof AggregateError) return cause.errors.map(reasonOf).join(', ');
  return cause instanceof Error ? cause.message : String(cause);
}
