import { randomUUID } from 'node:crypto';
import { helpOf, runProgram } from '../src/runtime/command-line.ts';
import { writeFile } from 'node:fs/promises';
import { loadConfig, type Config } from '../src/config.ts';
import { openEmbedded } from '../src/embedded-postgres/embedded.ts';
import { checkCell } from '../src/db/cell.ts';
import { createPool } from '../src/db/pool.ts';
import { isDatabaseUnavailable } from '../src/db/unavailable.ts';
import { escapeHiddenInLines } from '../src/runtime/hidden-characters.ts';
import { openHost } from '../src/host/connection/open.ts';
import { diagnosisOf, printed, type Finding } from '../src/host/doctor/examine.ts';
import { examineAt } from '../src/host/doctor/examine-at.ts';
import { printedExercise } from '../src/host/exercise/exercise.ts';
import { exerciseAt } from '../src/host/exercise/exercise-at.ts';
import type { Log } from '../src/runtime/log.ts';
import { parseCellsCommand } from '../src/ops/commands/cells-commands.ts';
import { runCellsCommand, type CellsCommand } from '../src/ops/cells/cells.ts';
import {
  opsManual,
  parseDoctorCommand,
  type DoctorCommand,
  parseOpsCommand,
  runOpsCommand,
} from '../src/ops/commands/cli.ts';
import { judgeMachine } from '../src/machine/machine-checks.ts';
import { readMachine } from '../src/machine/read-machine.ts';
import { migrationsFolder } from '../src/db/migrate.ts';
import { hasLive } from '../src/modes/modes.ts';
import { parseBackupCommand, runBackupCommand, type BackupCommand } from '../src/ops/commands/backup-commands.ts';
import { parseHostCommand, runHostCommand, type HostCommand } from '../src/ops/commands/host-commands.ts';
import { keyFileIn } from '../src/tlog/keys.ts';
import { StartError } from '../src/runtime/start-error.ts';
import manifest from '../package.json' with { type: 'json' };

// `npm run ops -- …`: changes the database of a server with the same environment. The server may be stopped.

/** A cell that moves is copied whole, and a drill counts all changes. */
const LONG_TIMEOUT_MS = 24 * 3_600_000;

/** Prints only warnings and errors, between the lines of the command. */
const log: Log = { debug: discard, info: discard, warn: printMessage, error: printMessage };

// As in the server: only the owner may access files below DATA_DIR.
process.umask(0o077);

await runProgram(helpOf(opsManual), (argv) =>
  main(argv).catch((cause: unknown) => {
    if (!(cause instanceof Error && isDatabaseUnavailable(cause))) throw cause;
    throw new StartError(cause.message || 'the database cannot be reached (DATABASE_URL)', { cause });
  }),
);

async function main(argv: readonly string[]): Promise<void> {
  const asDoctor = parseDoctorCommand(argv);
  if (asDoctor) return doctor(loadConfig(process.env, []), asDoctor);
  const ofHost = parseHostCommand(argv, opsManual);
  if (ofHost) return onHost(ofHost, loadConfig(process.env, []));
  const ofBackups = parseBackupCommand(argv, opsManual);
  if (ofBackups) return onBackups(ofBackups, loadConfig(process.env, []));
  const ofCells = parseCellsCommand(argv, opsManual);
  if (ofCells) return onCells(ofCells, loadConfig(process.env, []));
  const command = parseOpsCommand(argv);
  const config = loadConfig(process.env, []);
  const database = await openDatabase(config);
  try {
    const db = createPool({ url: database.url, name: 'tailgate ops', log, size: 2 });
    try {
      await checkCell(db, config.cell);
      const options = {
        ...config,
        keyFile: keyFileIn(config),
        openHost: () => openHost(config, database.url, log),
      };
      process.stdout.write(`${escapeHiddenInLines(await runOpsCommand(command, db, options))}\n`);
    } finally {
      await db.end();
    }
  } finally {
    await database.stop();
  }
}

/** Exit code 1 for a NO-GO, so that a script can ask. */
async function doctor(config: Config, { exerciseTo }: DoctorCommand): Promise<void> {
  // A machine that only asks a host has no database.
  const isServer = config.legacyUrl === undefined || config.databaseUrl !== undefined;
  const database = isServer ? await openDatabase(config) : undefined;
  try {
    if (exerciseTo !== undefined) return await exerciseIn(config, database?.url ?? '', exerciseTo);
    const ofHost = await examineAt(
      () => openHost(config, database?.url ?? '', log),
      { changes: config.hostChanges, hostLogDays: config.hostLogDays, live: hasLive(config.legacyModes) },
      { now: () => new Date(), form: 'full', shadowLibrary: config.shadowLibrary },
    );
    const ofMachine = database ? await examineMachine(config, database.url) : [];
    const diagnosis = diagnosisOf([...ofHost.findings, ...ofMachine]);
    process.stdout.write(`${escapeHiddenInLines(printed(diagnosis))}\n`);
    if (!diagnosis.go) process.exitCode = 1;
  } finally {
    await database?.stop();
  }
}

/** Exit code 1 where the host does not do what the service relies on. */
async function exerciseIn(config: Config, databaseUrl: string, file: string): Promise<void> {
  if (config.legacyLibrary === config.legacyDevLibrary)
    throw new StartError('LEGACY_DEV_LIBRARY is LEGACY_LIBRARY: the exercise needs a library of its own');
  const report = await exerciseAt(
    (program) => openHost({ ...config, legacyLibrary: config.legacyDevLibrary }, databaseUrl, log, program),
    { changes: config.hostChanges, hostLogDays: config.hostLogDays, live: true },
    { now: () => new Date(), service: manifest.version },
  );
  await writeFile(file, `${JSON.stringify(report, null, 2)}\n`);
  process.stdout.write(`${escapeHiddenInLines(printedExercise(report))}\nThe result is in ${file}.\n`);
  if (!report.passed) process.exitCode = 1;
}

async function examineMachine({ backup }: ReturnType<typeof loadConfig>, url: string): Promise<Finding[]> {
  const db = createPool({ url, name: 'tailgate ops', log, size: 1 });
  try {
    const facts = await readMachine({ ...backup, backupDir: backup.dir }, db);
    return judgeMachine(facts, new Date());
  } finally {
    await db.end();
  }
}

/** A command about any cell of the database, as a role that leads to none of them. */
async function onCells(command: CellsCommand, config: Config): Promise<void> {
  const database = await openDatabase(config);
  try {
    const db = createPool({ url: database.url, name: 'tailgate ops', log, size: 1, timeoutMs: LONG_TIMEOUT_MS });
    try {
      process.stdout.write(`${await runCellsCommand(command, db)}\n`);
    } finally {
      await db.end();
    }
  } finally {
    await database.stop();
  }
}

/** A command that needs the database and the host. */
async function onHost(command: HostCommand, config: ReturnType<typeof loadConfig>): Promise<void> {
  const database = await openDatabase(config);
  try {
    // The importer lock has a connection of its own.
    const db = createPool({ url: database.url, name: 'tailgate ops', log, size: 4 });
    try {
      await checkCell(db, config.cell);
      const host = await openHost(config, database.url, log);
      try {
        const { importFrom, facilities, legacyModes: modes } = config;
        const deps = { db, host, owner: randomUUID(), clock: () => new Date(), importFrom, modes, facilities };
        process.stdout.write(`${escapeHiddenInLines(await runHostCommand(command, deps))}\n`);
      } finally {
        await host.close();
      }
    } finally {
      await db.end();
    }
  } finally {
    await database.stop();
  }
}

/** Exit code 1 after a failed drill. */
async function onBackups(command: BackupCommand, config: ReturnType<typeof loadConfig>): Promise<void> {
  const database = await openDatabase(config);
  try {
    const db = createPool({ url: database.url, name: 'tailgate ops', log, size: 2, timeoutMs: LONG_TIMEOUT_MS });
    try {
      const { text, ok } = await runBackupCommand(command, {
        db,
        url: database.url,
        backupUrl: config.backup.url ?? database.url,
        backupDir: config.backup.dir,
        dataDir: config.dataDir,
        migrations: migrationsFolder,
        newId: randomUUID,
        clock: () => new Date(),
      });
      process.stdout.write(`${escapeHiddenInLines(text)}\n`);
      if (!ok) process.exitCode = 1;
    } finally {
      await db.end();
    }
  } finally {
    await database.stop();
  }
}

async function openDatabase({ databaseUrl, dataDir }: ReturnType<typeof loadConfig>) {
  if (databaseUrl !== undefined) return { url: databaseUrl, stop: () => Promise.resolve() };
  return openEmbedded(dataDir, { log, name: `npm run ops (process ${process.pid})` });
}

function discard(): void {
  // Nothing to do.
}

function printMessage(_fields: object, message: string): void {
  process.stderr.write(`${message}\n`);
}
