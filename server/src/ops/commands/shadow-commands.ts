import type { LibraryMap } from '../../host/files/library-map.ts';
import type { Host } from '../../host/host.ts';
import type { Db } from '../../db/types.ts';
import { misuseOf, readWords, type Manual } from '../../runtime/command-line.ts';
import { StartError } from '../../runtime/start-error.ts';
import { loadExcuses } from '../shadow/load-excuses.ts';
import { writeComparison } from '../shadow/comparison-table.ts';
import type { ShadowScope } from '../shadow/compare-routes.ts';
import { shadowCsv } from '../shadow/shadow-csv.ts';

// `npm run ops -- shadow …`: what the service would write, compared with what another system has written.

export const shadowCommands: Manual['commands'] = {
  shadow: {
    takes: '[--facility ID] [--day YYYYMMDD] [--rules FILE] [--whole | --table]',
    does: 'routes in shadow, compared with what another system writes, as CSV; --day: of the dispatch; --whole: equal stops, too; --table: into PODSHDP of SHADOW_LIBRARY instead',
  },
};

export interface ShadowCommand {
  readonly verb: 'shadow';
  readonly scope: ShadowScope;
  readonly rules: string | undefined;
  readonly whole: boolean;
  /** Into the table of SHADOW_LIBRARY. */
  readonly table: boolean;
}

/** Undefined for every other command. @throws StartError */
export function parseShadowCommand(argv: readonly string[], manual: Manual): ShadowCommand | undefined {
  if (argv[0] !== 'shadow') return undefined;
  const { positionals, values } = readWords(argv, {
    facility: { type: 'string' },
    day: { type: 'string' },
    rules: { type: 'string' },
    whole: { type: 'boolean', default: false },
    table: { type: 'boolean', default: false },
  });
  const { facility, day, rules, whole, table } = values;
  if (positionals.length !== 1 || (whole && table)) throw new StartError(misuseOf(manual, positionals));
  if (day !== undefined && !/^\d{8}$/.test(day)) throw new StartError(`--day: expected YYYYMMDD, got ${day}`);
  return { verb: 'shadow', scope: { facility, day }, rules, whole, table };
}

export interface ShadowOptions {
  /** SHADOW_RULES */
  readonly shadowRules?: string | undefined;
  /** LEGACY_MAP; by default our own names. */
  readonly legacyMap?: LibraryMap | undefined;
  /** SHADOW_LIBRARY */
  readonly shadowLibrary?: string | undefined;
  /** For the table alone. */
  readonly openHost?: (() => Promise<Host>) | undefined;
}

/** @throws StartError, HostError */
export async function runShadowCommand(command: ShadowCommand, db: Db, options: ShadowOptions): Promise<string> {
  const { scope, table, whole } = command;
  const rules = { map: options.legacyMap, excuses: await loadExcuses(command.rules ?? options.shadowRules) };
  if (!table) return shadowCsv(db, scope, rules, whole);
  const { shadowLibrary: library, openHost } = options;
  if (library === undefined || openHost === undefined)
    throw new StartError('--table: set SHADOW_LIBRARY, a library of the service on the host');
  const host = await openHost();
  try {
    const { routes, differences } = await writeComparison({ db, host, library, clock: () => new Date() }, scope, rules);
    return `${library}.PODSHDP has ${routes} routes with ${differences} differences.`;
  } finally {
    await host.close();
  }
}
