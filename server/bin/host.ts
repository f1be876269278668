import { helpOf, runProgram } from '../src/runtime/command-line.ts';
import { loadConfig } from '../src/config.ts';
import { openEmbedded } from '../src/embedded-postgres/embedded.ts';
import type { Log } from '../src/runtime/log.ts';
import { explain, hostManual, parseCommand, parsePrintCommand, printed, runCommand } from '../src/host/tools/cli.ts';
import { mapOfCell } from '../src/host/files/triggers.ts';
import { openHost } from '../src/host/connection/open.ts';
import { operatingUser } from '../src/host/tools/operating-user.ts';
import { StartError } from '../src/runtime/start-error.ts';

// `npm run host -- …`: works on the host of a server with the same environment, whether that server runs or not.

/** Routine log lines would mix with the rows that this command prints for other programs. */
const log: Log = { debug: discard, info: discard, warn: printMessage, error: printMessage };

// A reader of the output may close the pipe early (`| head`). The command then finishes its work without output.
process.stdout.on('error', discard);

// As in the server's own start: files below DATA_DIR belong to their owner alone.
process.umask(0o077);

await runProgram(helpOf(hostManual), (argv) =>
  main(argv).catch((cause: unknown) => {
    throw cause instanceof StartError ? cause : new StartError(explain(cause), { cause });
  }),
);

async function main(argv: readonly string[]): Promise<void> {
  const config = loadConfig(process.env, []);
  const print = parsePrintCommand(argv);
  if (print) {
    process.stdout.write(
      printed(print, config.legacyLibrary, mapOfCell(config.cell, config.legacyMap), config.shadowLibrary),
    );
    return;
  }
  const command = parseCommand(argv);
  const database = config.legacyUrl === undefined ? await openDatabase(config) : undefined;
  try {
    const user = command.verb === 'sql' ? operatingUser() : undefined;
    const host = await openHost(config, database?.url ?? '', log, 'HOSTCLI', user);
    try {
      await runCommand(command, {
        host,
        now: new Date(),
        isTerminal: process.stdout.isTTY,
        print: (line) => process.stdout.write(`${line}\n`),
        warn: complainLine,
      });
    } finally {
      await host.close();
    }
  } finally {
    await database?.stop();
  }
}

async function openDatabase({ databaseUrl, dataDir }: ReturnType<typeof loadConfig>) {
  if (databaseUrl !== undefined) return { url: databaseUrl, stop: () => Promise.resolve() };
  return openEmbedded(dataDir, { log, name: `npm run host (process ${process.pid})` });
}

function discard(): void {
  // Nothing to do.
}

function printMessage(_fields: object, message: string): void {
  complainLine(message);
}

function complainLine(line: string): void {
  process.stderr.write(`${line}\n`);
}
