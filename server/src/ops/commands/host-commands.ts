import type { RouteKey } from '@tailgate/sync-protocol';
import type { Db } from '../../db/types.ts';
import type { Host } from '../../host/host.ts';
import {
  hostRestored,
  replay,
  replayedFiles,
  type ReplayedFile,
  type ReplayLine,
  type ReplayReport,
  type ReplayScope,
} from '../../replication/from-host/replay.ts';
import type { CellFacilities } from '../../modes/cell-facilities.ts';
import type { LegacyModes } from '../../modes/host-mode.ts';
import { listWorkers } from '../../replication/control/heartbeat.ts';
import { readFirstLoad } from './first-load.ts';
import { Leases } from '../../replication/to-host/lease.ts';
import { misuseOf, readWords, type Manual } from '../../runtime/command-line.ts';
import { StartError } from '../../runtime/start-error.ts';

// `npm run ops -- replay …`, `host-restored …`: rows of the host that went back to an earlier state.

export const hostCommands: Manual['commands'] = {
  replay: {
    takes: '--route FACILITY/ROUTE/WEEK | --day YYYYMMDD [--facility ID] | --file FILE [--facility ID] [--dry]',
    does: 'compares routes with the host, and writes again what differs; --day: rows confirmed on that day (UTC); --file: a file of the host that has lost rows',
  },
  'first-load': {
    takes: '[--from YYYYMMDD]',
    does: 'counts the routes that an import would take from the host, by its reasons, and changes nothing; --from: another IMPORT_FROM',
  },
  'host-restored': {
    takes: '--as-of TIME [--dry]',
    does: 'the library of the host was put back to its state at TIME (2026-11-21T15:00:00Z)',
  },
};

export type HostCommand =
  | { readonly verb: 'replay'; readonly scope: ReplayScope; readonly dry: boolean }
  | { readonly verb: 'host-restored'; readonly asOf: Date; readonly dry: boolean }
  | { readonly verb: 'first-load'; readonly from: string | undefined };

const DAY_MS = 86_400_000;

/** Undefined for every other command. @throws StartError */
export function parseHostCommand(argv: readonly string[], manual: Manual): HostCommand | undefined {
  if (argv[0] === undefined || !Object.hasOwn(hostCommands, argv[0])) return undefined;
  const { positionals, values } = readWords(argv, {
    route: { type: 'string' },
    day: { type: 'string' },
    file: { type: 'string' },
    from: { type: 'string' },
    facility: { type: 'string' },
    'as-of': { type: 'string' },
    dry: { type: 'boolean', default: false },
  });
  const { route, day, file, from, facility, 'as-of': asOf, dry } = values;
  const [verb] = positionals;
  const scopes = [route, day, file].filter((scope) => scope !== undefined).length;
  const misuse = new StartError(misuseOf(manual, positionals));
  if (positionals.length !== 1 || (from !== undefined && verb !== 'first-load')) throw misuse;
  if (verb === 'first-load') {
    if (dry || asOf !== undefined || scopes > 0 || facility !== undefined) throw misuse;
    if (from !== undefined) readDay(from, '--from');
    return { verb, from };
  }
  if (verb === 'host-restored') {
    if (asOf === undefined || scopes > 0 || facility !== undefined) throw misuse;
    return { verb, asOf: readTime(asOf), dry };
  }
  if (asOf !== undefined || scopes !== 1) throw misuse;
  if (file !== undefined) return { verb: 'replay', scope: { facility, file: readFile(file) }, dry };
  if (route !== undefined && facility === undefined) return { verb: 'replay', scope: readRoute(route), dry };
  if (day === undefined) throw misuse;
  const since = readDay(day, '--day');
  return { verb: 'replay', scope: { facility, since, before: new Date(since.getTime() + DAY_MS) }, dry };
}

function readFile(text: string): ReplayedFile {
  const file = replayedFiles.find((known) => known === text.toUpperCase());
  if (file === undefined) throw new StartError(`--file: expected one of ${replayedFiles.join(', ')}, got ${text}`);
  return file;
}

function readTime(text: string): Date {
  const time = new Date(text);
  if (!/^\d{4}-\d\d-\d\dT.*(Z|[+-]\d\d:\d\d)$/.test(text) || Number.isNaN(time.getTime()))
    throw new StartError(`--as-of: expected a time with its offset, such as 2026-11-21T15:00:00Z, got ${text}`);
  return time;
}

function readRoute(text: string): ReplayScope {
  const [facility, route, week, ...more] = text.split('/');
  if (!facility || !route || !/^\d{8}$/.test(week ?? '') || more.length > 0)
    throw new StartError(`--route: expected FACILITY/ROUTE/WEEK, such as F01/R100/20261128, got ${text}`);
  return { facility, route, week };
}

function readDay(text: string, option: string): Date {
  const day = new Date(text.replace(/^(\d{4})(\d\d)(\d\d)$/, '$1-$2-$3T00:00:00Z'));
  if (!/^\d{8}$/.test(text) || Number.isNaN(day.getTime()))
    throw new StartError(`${option}: expected YYYYMMDD, got ${text}`);
  return day;
}

export interface HostCommandDeps {
  readonly db: Db;
  readonly host: Host;
  /** Names this command among the workers: a UUID. */
  readonly owner: string;
  readonly clock: () => Date;
  /** IMPORT_FROM */
  readonly importFrom?: string | undefined;
  /** LEGACY_MODE */
  readonly modes: LegacyModes;
  /** FACILITIES */
  readonly facilities?: CellFacilities | undefined;
}

/** @returns the lines to show. @throws StartError, HostError */
export async function runHostCommand(command: HostCommand, deps: HostCommandDeps): Promise<string> {
  const { db, host, owner, clock, importFrom, modes, facilities } = deps;
  if (command.verb === 'first-load')
    return readFirstLoad({ db, host, modes, facilities, now: clock() }, command.from ?? importFrom);
  const { dry } = command;
  const leases = new Leases({ db, owner });
  const options = { db, host, leases, clock, dry };
  try {
    if (command.verb === 'replay') return described(await replay(options, command.scope), dry).join('\n');
    // Its import has taken lost rows for edits of the office, or will do so before the comparison begins.
    if (!dry && (await listWorkers(db)).some(({ alive }) => alive))
      throw new StartError('a worker runs, or ended without a sign less than 20 s ago: stop the workers first');
    const report = await hostRestored(options, command.asOf);
    if (!report) throw new StartError('a server is importing from the host at this moment: run the command again');
    const lost = report.lost.map(
      ({ route, stop, by, at }) => `  lost     ${placeOf(route)} stop ${stop}: ${by}, ${at.toISOString()}`,
    );
    return [
      ...described(report, dry),
      `${lost.length} edits of the office after ${command.asOf.toISOString()} are lost on the host; those of stops are written again:`,
      ...lost,
    ].join('\n');
  } finally {
    await leases.close();
  }
}

/** As `--route` takes it. */
const placeOf = ({ facility, id, week_end }: RouteKey): string => `${facility}/${id}/${week_end}`;

const words: { readonly [verdict in ReplayLine['verdict']]: string } = {
  again: 'again   ',
  foreign: 'foreign ',
  missing: 'missing ',
  busy: 'busy    ',
};

function described({ routes, lines, files }: ReplayReport, dry: boolean): string[] {
  const again = lines.filter(({ verdict }) => verdict === 'again').length;
  return [
    `${routes} routes compared. ${again} stops and headers and ${files.length} files ${dry ? 'would go' : 'go'} to the host again.`,
    ...lines.map(({ route, stop, verdict }) => {
      const place = stop === undefined ? 'route' : `stop ${stop}`;
      return `  ${words[verdict]} ${placeOf(route)} ${place}`;
    }),
    ...(lines.some(({ verdict }) => verdict === 'foreign')
      ? ['foreign: rows of another program; they stay, and the import takes its edits (none of a shadow).']
      : []),
    ...(lines.some(({ verdict }) => verdict === 'busy') ? ['busy: a worker writes the route; run it again.'] : []),
  ];
}
