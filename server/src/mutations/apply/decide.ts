import { canonicalJson } from '@tailgate/sync-protocol';
import type { StopDecision } from '../../stops/rules.ts';
import { decideSkipRefuse, decideStopUpdate, decideTimedClose } from '../../stops/rules.ts';
import type { StopContext } from '../../stops/stop-context.ts';
import type { Command, Item } from '../change.ts';
import type { LatestChange } from './world.ts';

/** Calls the rule of a command. A command without a rule fails to compile; no rule is the default. */
export function decide(command: Command, context: StopContext): StopDecision {
  switch (command.name) {
    case 'stop.update':
      return decideStopUpdate(command.args.stop, context);
    case 'stop.skip_refuse':
      return decideSkipRefuse(command.args, context);
    case 'route.close':
      return decideTimedClose(context);
    default:
      throw new Error('there is no rule for this command', { cause: command satisfies never });
  }
}

/**
 * The result of a change in the ledger. A REST change has no sequence of its own: one whose status alone is ignored must not
 * pass for the change that made the version, which the next request is compared with. Its answer is `stale` all the same.
 */
export const resultOf = ({ source }: Item, { touched, notApplied }: StopDecision): 'applied' | 'duplicate' =>
  touched || notApplied.some(({ code }) => source !== 'rest' || code !== 'status_ignored') ? 'applied' : 'duplicate';

/** Whether a change without an id of its own repeats the stop's latest change by the same employee. */
export function repeats(item: Item, command: Command, latest: LatestChange | null): boolean {
  if (!latest || item.actor.kind !== 'driver' || latest.employee !== item.actor.employee) return false;
  if ('hash' in latest) return latest.hash.equals(item.hash);
  return latest.name === command.name && latest.content === canonicalJson(command.args);
}

/** The part of a change that a later one is compared with. Only a driver's change can be repeated. */
export function latestOf({ actor, meaning, source, hash }: Item): LatestChange | null {
  if (actor.kind !== 'driver' || meaning.kind !== 'command') return null;
  if (source === 'rest') return { employee: actor.employee, hash };
  // Computed on first use: only a later change without a key reads it.
  return {
    employee: actor.employee,
    name: meaning.command.name,
    get content() {
      return canonicalJson(meaning.command.args);
    },
  };
}
