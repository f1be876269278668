import type { Db } from '../../db/types.ts';
import { misuseOf, readWords, type Manual } from '../../runtime/command-line.ts';
import { StartError } from '../../runtime/start-error.ts';
import { loadExcuses } from '../shadow/load-excuses.ts';
import type { ShadowScope } from '../shadow/compare-routes.ts';
import { shadowCsv } from '../shadow/shadow-csv.ts';

// `npm run ops -- shadow …`: what the service would write, compared with what another system has written.

export const shadowCommands: Manual['commands'] = {
  shadow: {
    takes: '[--facility ID] [--day YYYYMMDD] [--rules FILE] [--whole]',
    does: 'routes in shadow, compared with what another system writes, as CSV; --day: of the dispatch; --whole: equal stops, too',
  },
};

export interface ShadowCommand {
  readonly verb: 'shadow';
  readonly scope: ShadowScope;
  readonly rules: string | undefined;
  readonly whole: boolean;
}

/** Undefined for every other command. @throws StartError */
export function parseShadowCommand(argv: readonly string[], manual: Manual): ShadowCommand | undefined {
  if (argv[0] !== 'shadow') return undefined;
  const { positionals, values } = readWords(argv, {
    facility: { type: 'string' },
    day: { type: 'string' },
    rules: { type: 'string' },
    whole: { type: 'boolean', default: false },
  });
  const { facility, day, rules, whole } = values;
  if (positionals.length !== 1) throw new StartError(misuseOf(manual, positionals));
  if (day !== undefined && !/^\d{8}$/.test(day)) throw new StartError(`--day: expected YYYYMMDD, got ${day}`);
  return { verb: 'shadow', scope: { facility, day }, rules, whole };
}

/** @param rulesFile SHADOW_RULES @throws StartError */
export async function runShadowCommand(command: ShadowCommand, db: Db, rulesFile: string | undefined): Promise<string> {
  return shadowCsv(db, command.scope, await loadExcuses(command.rules ?? rulesFile), command.whole);
}
