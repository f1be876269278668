import { countOf, misuseOf, readWords, type Manual } from '../../runtime/command-line.ts';
import { LAST_EPOCH } from '../../db/epoch.ts';
import { sqlStateOf } from '../../db/sqlstate.ts';
import type { Db } from '../../db/types.ts';
import { StartError } from '../../runtime/start-error.ts';
import { findFutureStops, correctClock } from '../clock/heal-clock.ts';
import { backupCommands } from './backup-commands.ts';
import { cellsCommands } from './cells-commands.ts';
import { hostCommands } from './host-commands.ts';
import { invitationCommands, parseInvitationCommand, runInvitationCommand } from './invite-commands.ts';
import type { InvitationCommand } from './invite-commands.ts';
import { operatorCommands, parseOperatorCommand, runOperatorCommand } from './operator-commands.ts';
import type { OperatorCommand } from './operator-commands.ts';
import { declareRestored, describeRestored } from '../restore/restored.ts';
import { reconciliationCsv } from '../reconciliation/reconciliation.ts';
import { unregisterDriver } from '../devices/devices.ts';
import { filesCommands, parseFilesCommand, runFilesCommand } from './files-commands.ts';
import type { FilesCommand, FilesOptions } from './files-commands.ts';
import { parseShadowCommand, runShadowCommand, shadowCommands } from './shadow-commands.ts';
import type { ShadowCommand, ShadowOptions } from './shadow-commands.ts';
import { logKeys, rotateLogKey, type KeyOptions } from './log-commands.ts';

// `npm run ops -- …`: commands of operators, beside running servers or without them.

export const opsManual: Manual = {
  program: 'npm run ops',
  commands: {
    restored: {
      takes: '[--reason TEXT] [--above EPOCH]',
      does: 'this database was put back to an earlier state; --above: the newest epoch that it lost by that',
    },
    unregister: {
      takes: 'EMPLOYEE',
      does: 'this driver signs up anew: sessions and password end, what their phones bring is kept for the office',
    },
    ...backupCommands,
    ...hostCommands,
    ...shadowCommands,
    ...operatorCommands,
    ...invitationCommands,
    ...filesCommands,
    ...cellsCommands,
    log: {
      takes: 'keys|rotate',
      does: 'keys of the transparency log, for auditors and witnesses; rotate: a new key, whose change the former one signs',
    },
    doctor: {
      takes: '[--exercise [--to FILE]]',
      does: 'GO or NO-GO: whether the host is set up for the service, a line a check, with what to do; --exercise: tries every statement in LEGACY_DEV_LIBRARY, and writes the result to a file',
    },
    counts: {
      takes: '[--day YYYYMMDD] [--facility ID] [--differing]',
      does: 'the rows of the host, counted at the close of routes and at the end of days, as CSV',
    },
    'heal-clock': {
      takes: '[--yes]',
      does: 'dates stamps from the future back to now, after a clock was ahead; without --yes it only counts them',
    },
  },
};

export type OpsCommand =
  | { readonly verb: 'restored'; readonly reason: string; readonly above: number }
  | { readonly verb: 'unregister'; readonly employee: string }
  | { readonly verb: 'heal-clock'; readonly yes: boolean }
  | { readonly verb: 'counts'; readonly day?: string; readonly facility?: string; readonly differing: boolean }
  | { readonly verb: 'log'; readonly act: 'keys' | 'rotate' }
  | FilesCommand
  | ShadowCommand
  | OperatorCommand
  | InvitationCommand;

function epochAbove(written: string | undefined): number {
  const above = written === undefined ? 0 : countOf('above', written, 0);
  if (above < LAST_EPOCH) return above;
  throw new StartError(`--above: expected an epoch below ${LAST_EPOCH}, got ${above}`);
}

export interface DoctorCommand {
  /** The file of the exercise; undefined: the checks alone. */
  readonly exerciseTo: string | undefined;
}

/** The only command that works on the host, and needs no database where LEGACY_URL is set. @throws StartError */
export function parseDoctorCommand(argv: readonly string[]): DoctorCommand | undefined {
  if (argv[0] !== 'doctor') return undefined;
  const { positionals, values } = readWords(argv, {
    exercise: { type: 'boolean', default: false },
    to: { type: 'string' },
  });
  if (positionals.length > 1 || (values.to !== undefined && !values.exercise))
    throw new StartError(misuseOf(opsManual, positionals));
  return { exerciseTo: values.exercise ? (values.to ?? 'tailgate-exercise.json') : undefined };
}

/** @throws StartError */
export function parseOpsCommand(argv: readonly string[]): OpsCommand {
  const [first] = argv;
  if (first !== undefined && Object.hasOwn(invitationCommands, first)) {
    const invitation = parseInvitationCommand(argv);
    if (invitation) return invitation;
    throw new StartError(misuseOf(opsManual, argv));
  }
  if (first === 'operator') {
    const operator = parseOperatorCommand(argv);
    if (operator) return operator;
    throw new StartError(misuseOf(opsManual, argv));
  }
  if (first === 'files') {
    const files = parseFilesCommand(argv.slice(1));
    if (files) return files;
    throw new StartError(misuseOf(opsManual, argv));
  }
  const shadow = parseShadowCommand(argv, opsManual);
  if (shadow) return shadow;
  const { positionals, values } = readWords(argv, {
    reason: { type: 'string' },
    yes: { type: 'boolean', default: false },
    day: { type: 'string' },
    facility: { type: 'string' },
    differing: { type: 'boolean', default: false },
    above: { type: 'string' },
  });
  const [verb, employee] = positionals;
  if (values.above !== undefined && verb !== 'restored') throw new StartError(misuseOf(opsManual, positionals));
  if (verb === 'restored' && positionals.length === 1)
    return { verb, reason: values.reason?.trim() || 'restored', above: epochAbove(values.above) };
  if (verb === 'unregister' && employee !== undefined && positionals.length === 2 && values.reason === undefined)
    return { verb, employee };
  if (verb === 'heal-clock' && positionals.length === 1) return { verb, yes: values.yes };
  if (verb === 'counts' && positionals.length === 1) {
    const { day, facility, differing } = values;
    if (day !== undefined && !/^\d{8}$/.test(day)) throw new StartError(`--day: expected YYYYMMDD, got ${day}`);
    return { verb, differing, ...(day !== undefined && { day }), ...(facility !== undefined && { facility }) };
  }
  if (verb === 'log' && (employee === 'keys' || employee === 'rotate') && positionals.length === 2)
    return { verb, act: employee };
  throw new StartError(misuseOf(opsManual, positionals));
}

interface CommandOptions extends KeyOptions, FilesOptions, ShadowOptions {
  readonly autocloseSeconds: number;
}

/** @returns what to show */
export async function runOpsCommand(command: OpsCommand, db: Db, options: CommandOptions): Promise<string> {
  try {
    return await run(command, db, options);
  } catch (cause) {
    // Undefined table, undefined column.
    if (!['42P01', '42703'].includes(sqlStateOf(cause) ?? '')) throw cause;
    throw new StartError('this database is of an earlier release: run npm run migrate first, or start a server', {
      cause,
    });
  }
}

async function run(command: OpsCommand, db: Db, options: CommandOptions): Promise<string> {
  const { autocloseSeconds } = options;
  if (command.verb === 'log') return command.act === 'keys' ? logKeys(db, options) : rotateLogKey(options);
  if (command.verb === 'files') return runFilesCommand(command, db, options);
  if (command.verb === 'shadow') return runShadowCommand(command, db, options);
  if (command.verb === 'counts') return reconciliationCsv(db, command);
  if (command.verb === 'restored') return describeRestored(await declareRestored(db, command.reason, command.above));
  if (command.verb === 'operator') return runOperatorCommand(command, db, new Date());
  if (command.verb === 'heal-clock') return corrected(db, command.yes, new Date(), autocloseSeconds);
  if (command.verb !== 'unregister') return runInvitationCommand(command, db, new Date());
  const { employee } = command;
  const queues = await unregisterDriver(db, employee, byCommand, new Date());
  if (queues === undefined)
    throw new StartError(`no employee with the id ${employee} is registered (GET /api/auth/employees lists who is)`);
  return [
    `${employee} is not registered any more and may sign up again.`,
    `What their phones still bring goes to quarantine (queues: ${queues}); GET /api/ops/quarantine lists it.`,
  ].join('\n');
}

async function corrected(db: Db, yes: boolean, now: Date, timerSeconds: number): Promise<string> {
  const routes = yes ? await correctClock(db, now, timerSeconds) : await findFutureStops(db, now);
  const stops = routes.reduce((sum, route) => sum + route.stops.length, 0);
  const counted = `${stops} stops of ${routes.length} routes`;
  return yes
    ? `${counted} are dated back to ${now.toISOString()}; deadlines and leases from the future end now.`
    : `${counted} have stamps after ${now.toISOString()}. If that is the right time, run it again with --yes.`;
}

/** The command needs no name: a person who may run it has access to the database. */
const byCommand = {
  caller: { kind: 'machine' },
  by: 'npm run ops',
  reason: 'unregistered by the command for operators',
} as const;
