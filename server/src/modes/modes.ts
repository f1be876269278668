import type { Queryable } from '../db/types.ts';
import type { HostMode, LegacyModes } from './host-mode.ts';
import { addedModes, dropOtherModes, loadModes, saveModes, type ModeRow } from './modes-sql.ts';

export const allLive: LegacyModes = { otherwise: 'live', facilities: new Map() };

export const modeOf = ({ otherwise, facilities }: LegacyModes, facility: string): HostMode =>
  facilities.get(facility) ?? otherwise;

const allModes = ({ otherwise, facilities }: LegacyModes): HostMode[] => [otherwise, ...facilities.values()];

/** Every facility is live: the doorbell is the service's to read and to empty. */
export const isAllLive = (modes: LegacyModes): boolean => allModes(modes).every((mode) => mode === 'live');

/** Some facility is live: the service may write to the library. */
export const hasLive = (modes: LegacyModes): boolean => allModes(modes).includes('live');

/** Facilities, or the default, that change their mode. The facility of the default is blank. */
export interface ModeChange {
  readonly facility: string;
  readonly from: HostMode;
  readonly to: HostMode;
}

export function modeChanges(before: LegacyModes, after: LegacyModes): ModeChange[] {
  const named = [...new Set([...before.facilities.keys(), ...after.facilities.keys()])].sort();
  return [
    { facility: '', from: before.otherwise, to: after.otherwise },
    ...named.map((facility) => ({ facility, from: modeOf(before, facility), to: modeOf(after, facility) })),
  ].filter(({ from, to }) => from !== to);
}

/** The modes in force, for every node. */
async function readModes(db: Queryable): Promise<LegacyModes> {
  const { rows } = await db.query<ModeRow>(loadModes);
  const otherwise = rows.find(({ facility }) => facility === '')?.mode ?? 'live';
  const named = rows.filter(({ facility }) => facility !== '');
  return { otherwise, facilities: new Map(named.map(({ facility, mode }) => [facility, mode])) };
}

/** Puts these modes in force. */
export async function writeModes(db: Queryable, { otherwise, facilities }: LegacyModes, now: Date): Promise<void> {
  const rows: ModeRow[] = [{ facility: '', mode: otherwise }];
  for (const [facility, mode] of facilities) rows.push({ facility, mode });
  await db.query(saveModes, [now, ...addedModes.parameters(rows)]);
  await db.query(dropOtherModes, [rows.map(({ facility }) => facility)]);
}

/** The modes in force, as a reader that polls knows them. */
export class CurrentModes {
  readonly #db: Queryable;
  #modes: LegacyModes = allLive;

  constructor(db: Queryable) {
    this.#db = db;
  }

  get current(): LegacyModes {
    return this.#modes;
  }

  async refresh(): Promise<LegacyModes> {
    return (this.#modes = await readModes(this.#db));
  }
}
