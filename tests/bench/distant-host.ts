import { setTimeout as wait } from 'node:timers/promises';
import type { Host, HostTransaction } from '../../server/src/host/host.ts';

/** A host whose statements and commits each take one round trip, one after the other on their connection, as on Db2. */
export interface DistantHost {
  readonly host: Host;
  /** Round trips so far. */
  readonly trips: () => number;
}

/** @param roundTripMs the made latency; the timer of the process adds a tenth of a millisecond */
export function atDistance(host: Host, roundTripMs: number): DistantHost {
  let trips = 0;
  const trip = async <Answer>(answer: Promise<Answer>): Promise<Answer> => {
    trips += 1;
    await wait(roundTripMs);
    return answer;
  };
  const distant: Host = {
    ...host,
    query: (sql, parameters) => trip(host.query(sql, parameters)),
    async transaction(work) {
      const result = await host.transaction((tx) => work(oneAtATime(tx, trip)));
      return trip(Promise.resolve(result));
    },
  };
  return { host: distant, trips: () => trips };
}

function oneAtATime(tx: HostTransaction, trip: <Answer>(answer: Promise<Answer>) => Promise<Answer>): HostTransaction {
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <Answer>(send: () => Promise<Answer>): Promise<Answer> => {
    // A failed statement fails the later ones at the database as well.
    const answer = last.then(
      () => trip(send()),
      () => trip(send()),
    );
    last = answer;
    return answer;
  };
  return {
    query: (sql, parameters) => inTurn(() => tx.query(sql, parameters)),
    execute: (sql, parameters) => inTurn(() => tx.execute(sql, parameters)),
  };
}
