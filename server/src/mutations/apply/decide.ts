import { canonicalJson } from '@tailgate/sync-protocol';
import { decideTimedClose } from '../../routes/timed-close.ts';
import type { StopDecision } from '../../stops/rules.ts';
import { decideSkipRefuse, decideStopUpdate } from '../../stops/rules.ts';
import type { StopContext } from '../../stops/stop-context.ts';
import type { Command } from '../change.ts';
import type { Item } from '../item.ts';
import type { LatestChange } from './world.ts';

/** Hands a command to the rule that knows it. */
export function decide(command: Command, context: StopContext): StopDecision {
  if (command.name === 'stop.update') return decideStopUpdate(command.args.stop, context);
  if (command.name === 'stop.skip_refuse') return decideSkipRefuse(command.args, context);
  return decideTimedClose(context);
}

/** Whether a change without an id of its own says what the stop's latest change by the same employee said. */
export function repeats(item: Item, command: Command, latest: LatestChange | null): boolean {
  if (!latest || item.actor.kind !== 'driver' || latest.employee !== item.actor.employee) return false;
  if ('hash' in latest) return latest.hash.equals(item.hash);
  return latest.name === command.name && latest.content === canonicalJson(command.args);
}

/** A change as a later one is compared with it; only a driver's can be repeated. */
export function latestOf({ actor, meaning, source, hash }: Item): LatestChange | null {
  if (actor.kind !== 'driver' || meaning.kind !== 'command') return null;
  if (source === 'rest') return { employee: actor.employee, hash };
  // Only compared where a change without a key follows: the text is made then.
  return {
    employee: actor.employee,
    name: meaning.command.name,
    get content() {
      return canonicalJson(meaning.command.args);
    },
  };
}
