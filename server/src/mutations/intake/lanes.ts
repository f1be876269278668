/** What waits for a batch: one item, where it must be in order (`lane`) and the route that it locks, if any. */
export interface Waiting {
  readonly lane: string;
  readonly scope: string | null;
}

/**
 * The waiting room of group commit: a first-in-first-out lane for each queue (and for each REST author), served in
 * turns, so that a phone with a week of work and one with a single tap both get on. A lane and a route are in at most one
 * open batch, which keeps the order and spares waiting for our own locks.
 */
export class Lanes<Unit extends Waiting> {
  readonly #lanes = new Map<string, Unit[]>();
  readonly #busyLanes = new Set<string>();
  readonly #busyScopes = new Set<string>();
  #size = 0;

  get empty(): boolean {
    return this.#lanes.size === 0;
  }

  /** Units that wait, whether their lane is free or not. */
  get size(): number {
    return this.#size;
  }

  add(units: readonly Unit[]): void {
    this.#size += units.length;
    for (const unit of units) {
      const lane = this.#lanes.get(unit.lane);
      if (lane) lane.push(unit);
      else this.#lanes.set(unit.lane, [unit]);
    }
  }

  /** Puts units of a batch that could not be served back to the front of their lanes, in order. */
  putBack(units: readonly Unit[]): void {
    this.#size += units.length;
    for (const unit of units.toReversed()) {
      const lane = this.#lanes.get(unit.lane);
      if (lane) lane.unshift(unit);
      else this.#lanes.set(unit.lane, [unit]);
    }
  }

  /** Takes the next batch: at most `size` units, at most `turn` of one lane, none whose lane or route is taken. */
  take(size: number, turn: number, isHeld: (scope: string) => boolean): Unit[] {
    const batch: Unit[] = [];
    const scopes = new Set<string>();
    for (const [name, lane] of this.#lanes) {
      if (batch.length >= size) break;
      if (this.#busyLanes.has(name)) continue;
      const taken = this.#takeTurn(lane, Math.min(turn, size - batch.length), scopes, isHeld);
      if (taken.length === 0) continue;
      batch.push(...taken);
      this.#busyLanes.add(name);
      // A lane that has had its turn goes to the back of the line.
      this.#lanes.delete(name);
      if (lane.length > 0) this.#lanes.set(name, lane);
    }
    for (const scope of scopes) this.#busyScopes.add(scope);
    this.#size -= batch.length;
    return batch;
  }

  /** The batch is over: its lanes and routes are free again. */
  release(batch: readonly Unit[]): void {
    for (const { lane, scope } of batch) {
      this.#busyLanes.delete(lane);
      if (scope !== null) this.#busyScopes.delete(scope);
    }
  }

  /** Empties the room and returns what waited. */
  drain(): Unit[] {
    const units = [...this.#lanes.values()].flat();
    this.#lanes.clear();
    this.#size = 0;
    return units;
  }

  #takeTurn(lane: Unit[], most: number, scopes: Set<string>, isHeld: (scope: string) => boolean): Unit[] {
    let count = 0;
    while (count < most) {
      const scope = lane[count]?.scope;
      if (scope === undefined) break;
      if (scope !== null && !scopes.has(scope)) {
        if (this.#busyScopes.has(scope) || isHeld(scope)) break;
        scopes.add(scope);
      }
      count++;
    }
    return lane.splice(0, count);
  }
}
