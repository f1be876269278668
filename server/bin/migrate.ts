import { loadConfig } from '../src/config.ts';
import { migrate } from '../src/db/migrate.ts';
import { openLogger, standardError } from '../src/logger.ts';
import { StartError } from '../src/start-error.ts';

// `npm run migrate`: brings the tables up to date as the role that owns them, where servers may not (docs/security.md).

try {
  const { databaseListenUrl, logLevel } = loadConfig(process.env, []);
  if (databaseListenUrl === undefined)
    throw new StartError('DATABASE_URL is unset: an embedded PostgreSQL migrates itself');
  const applied = await migrate(databaseListenUrl, openLogger(logLevel, standardError(process.stderr.isTTY)));
  console.log(applied.length === 0 ? 'The tables are up to date.' : `Applied ${applied.join(', ')}.`);
} catch (error) {
  if (!(error instanceof StartError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
