import { runProgram } from '../src/runtime/command-line.ts';
import { loadConfig } from '../src/config.ts';
import { checkCellAt } from '../src/db/cell.ts';
import { migrate } from '../src/db/migrate.ts';
import { openLogger, standardError } from '../src/runtime/logger.ts';
import { StartError } from '../src/runtime/start-error.ts';

const help = `npm run migrate    brings the tables of DATABASE_URL up to date, as the role that owns them, where servers may not
                   (docs/security.md, two roles of the database)`;

await runProgram(help, async (argv) => {
  if (argv.length > 0) throw new StartError(`npm run migrate takes no words, got ${argv.join(' ')}`);
  const { databaseListenUrl, logLevel, cell } = loadConfig(process.env, []);
  if (databaseListenUrl === undefined)
    throw new StartError('DATABASE_URL is unset: an embedded PostgreSQL migrates itself');
  await checkCellAt(databaseListenUrl, cell);
  const applied = await migrate(databaseListenUrl, openLogger(logLevel, standardError(process.stderr.isTTY)));
  console.log(applied.length === 0 ? 'The tables are up to date.' : `Applied ${applied.join(', ')}.`);
});
