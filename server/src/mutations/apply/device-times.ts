import type { InstantField, StopUpdates } from '@tailgate/sync-protocol';
import { readableInstant } from '../../stops/event-time.ts';
import type { Command } from '../change.ts';
import type { CommandMeaning } from '../item.ts';

/**
 * Corrects the instants that the device read off its own clock. The ledger keeps the originals.
 *
 * @param lagMs how far that clock was behind the server's when the driver recorded the change
 */
export function inOurTime({ command, deviceTimes }: CommandMeaning, lagMs: number): Command {
  if (lagMs === 0 || deviceTimes.length === 0) return command;
  if (command.name === 'stop.skip_refuse') return { ...command, args: corrected(command.args, deviceTimes, lagMs) };
  if (command.name !== 'stop.update') return command;
  const { stop } = command.args;
  const updates = stop.updates && corrected(stop.updates, deviceTimes, lagMs);
  return { ...command, args: { ...command.args, stop: { ...stop, updates } } };
}

type Instants = Pick<StopUpdates, InstantField>;

function corrected<Fields extends Instants>(fields: Fields, names: readonly InstantField[], lagMs: number): Fields {
  const instants: Instants = {};
  for (const name of names) {
    const instant = readableInstant(fields[name]);
    if (instant !== null) instants[name] = new Date(Date.parse(instant) + lagMs).toISOString();
  }
  return { ...fields, ...instants };
}
