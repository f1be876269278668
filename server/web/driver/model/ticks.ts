import type { ReceiptState } from '@tailgate/client-sdk';
import type { FileState } from '@tailgate/client-sdk/uploads';
import type { TickState } from '../../ui/parts/ticks.tsx';

/** How far the changes of a stop got: phone, server, back office. */
export interface TickRow {
  readonly phone: TickState;
  readonly server: TickState;
  readonly office: TickState;
  /** The word beside the ticks. */
  readonly word: 'saving' | 'phone' | 'file' | 'server' | 'look' | 'shadow' | 'office';
}

/**
 * The ticks of a stop: of several changes the least far one decides, so that no tick runs ahead of its evidence.
 * Undefined where this phone has no change of the stop.
 *
 * @param isParked the host refuses the stop's row
 * @param isSaving a photo of the stop is not on the disk yet: its change follows
 */
export function ticksOf(states: readonly ReceiptState[], isParked = false, isSaving = false): TickRow | undefined {
  const recorded = states.filter(({ at }) => at !== 'withdrawn');
  if (recorded.length === 0) return undefined;
  const live: readonly ReceiptState[] = isSaving ? [...recorded, { at: 'recorded' }] : recorded;
  const phone = live.some(({ at }) => at === 'recorded') ? 'wait' : 'yes';
  const server = min(live.map(serverTick));
  const office =
    isParked || live.some(({ at }) => at === 'quarantined')
      ? 'look'
      : live.every(({ at }) => at === 'on_host')
        ? 'yes'
        : 'wait';
  const word = wordOf(phone, server, office);
  const isShadow = word === 'server' && live.every(({ at }) => at === 'shadow');
  return { phone, server, office, word: isShadow ? 'shadow' : word };
}

function serverTick(state: ReceiptState): TickState {
  if (state.at === 'quarantined') return 'yes';
  if (state.at !== 'accepted' && state.at !== 'on_host' && state.at !== 'shadow') return 'wait';
  if (state.evidence === 'awaited') return 'part';
  // Before the route's news arrives, it is unknown whether a file is missing.
  return state.evidence === 'complete' || state.at !== 'accepted' ? 'yes' : 'wait';
}

const min = (ticks: readonly TickState[]): TickState =>
  ticks.includes('wait') ? 'wait' : ticks.includes('part') ? 'part' : 'yes';

function wordOf(phone: TickState, server: TickState, office: TickState): TickRow['word'] {
  if (phone === 'wait') return 'saving';
  if (office === 'look') return 'look';
  if (server === 'wait') return 'phone';
  if (server === 'part') return 'file';
  return office === 'yes' ? 'office' : 'server';
}

/**
 * The server's tick of a file. One that this phone does not know is at the server where the server has every file of the
 * stop; else it may still be on another phone.
 *
 * @param percent of it on its way
 * @param row the ticks of its stop
 */
export function fileTick(
  file: FileState | undefined,
  percent: number,
  row: TickRow | undefined,
): TickState | 'elsewhere' {
  if (file === undefined) return row?.server === 'yes' ? 'yes' : 'elsewhere';
  if (file.at === 'here') return 'yes';
  if (file.at === 'failed') return 'look';
  return percent > 0 ? 'part' : 'wait';
}

/** When the latest change of a stop took each step; undefined where it did not, or where the phone has no record of it. */
export interface Times {
  readonly recorded: number | undefined;
  readonly accepted: number | undefined;
  readonly hosted: number | undefined;
}

export const latestTimes = (states: readonly ReceiptState[]): Times => ({
  recorded: latest(states.map((state) => ('recordedAt' in state ? state.recordedAt : undefined))),
  accepted: latest(states.map((state) => ('acceptedAt' in state ? state.acceptedAt : undefined))),
  hosted: latest(states.map((state) => (state.at === 'on_host' ? state.hostedAt : undefined))),
});

function latest(times: readonly (number | undefined)[]): number | undefined {
  const known = times.filter((time) => time !== undefined);
  return known.length > 0 ? Math.max(...known) : undefined;
}
