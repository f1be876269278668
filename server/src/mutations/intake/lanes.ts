/** An item that waits for a batch, its lane (which keeps the order) and the route that it locks, if any. */
export interface Waiting {
  readonly lane: string;
  readonly scope: string | null;
}

/**
 * The queue of group commit: a first-in-first-out lane for each phone queue and each REST author. Lanes take turns, so
 * that a phone with a week of work does not delay a single tap. A lane and a route are in at most one open batch, which
 * keeps the order and avoids waits for our own locks.
 */
export class Lanes<Unit extends Waiting> {
  readonly #lanes = new Map<string, Unit[]>();
  readonly #busyLanes = new Set<string>();
  readonly #busyScopes = new Set<string>();
  #size = 0;

  get empty(): boolean {
    return this.#lanes.size === 0;
  }

  /** The number of waiting units, in free and busy lanes. */
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

  /** Puts unserved units of a batch back to the front of their lanes, in order. */
  putBack(units: readonly Unit[]): void {
    this.#size += units.length;
    for (const unit of units.toReversed()) {
      const lane = this.#lanes.get(unit.lane);
      if (lane) lane.unshift(unit);
      else this.#lanes.set(unit.lane, [unit]);
    }
  }

  /** Takes the next batch: at most `size` units, at most `turn` of one lane, none of a busy lane or route. */
  nextBatch(size: number, turn: number, isLocked: (scope: string) => boolean): Unit[] {
    const batch: Unit[] = [];
    const scopes = new Set<string>();
    for (const [name, lane] of this.#lanes) {
      if (batch.length >= size) break;
      if (this.#busyLanes.has(name)) continue;
      const taken = this.#removeFromLane(lane, Math.min(turn, size - batch.length), scopes, isLocked);
      if (taken.length === 0) continue;
      batch.push(...taken);
      this.#busyLanes.add(name);
      // After its turn a lane goes to the end of the line.
      this.#lanes.delete(name);
      if (lane.length > 0) this.#lanes.set(name, lane);
    }
    for (const scope of scopes) this.#busyScopes.add(scope);
    this.#size -= batch.length;
    return batch;
  }

  /** Frees the lanes and routes of a finished batch. */
  release(batch: readonly Unit[]): void {
    for (const { lane, scope } of batch) {
      this.#busyLanes.delete(lane);
      if (scope !== null) this.#busyScopes.delete(scope);
    }
  }

  /** Removes and returns all waiting units. */
  drain(): Unit[] {
    const units = [...this.#lanes.values()].flat();
    this.#lanes.clear();
    this.#size = 0;
    return units;
  }

  #removeFromLane(lane: Unit[], max: number, scopes: Set<string>, isLocked: (scope: string) => boolean): Unit[] {
    let count = 0;
    while (count < max) {
      const scope = lane[count]?.scope;
      if (scope === undefined) break;
      if (scope !== null && !scopes.has(scope)) {
        if (this.#busyScopes.has(scope) || isLocked(scope)) break;
        scopes.add(scope);
      }
      count++;
    }
    return lane.splice(0, count);
  }
}
