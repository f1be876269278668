import type { RowKind, RowOnHost } from '../../../host/reads/route-keys.ts';

// Accepted rows of a route against the rows that the host has, by kind. Pure.

export const countedKinds = ['S', 'L', 'E', 'P'] as const satisfies readonly RowKind[];

/** Numbers of rows. `onHost`, `parked` and `late` are parts of `accepted`. */
export interface Count {
  readonly accepted: number;
  readonly onHost: number;
  /** Not on the host, because it refuses them or an operator has skipped them. */
  readonly parked: number;
  /** Recorded or received after the close of the route. */
  readonly late: number;
  /** On the host, and not accepted by the service. */
  readonly extra: number;
}
export type Counts = { readonly [kind in RowKind]: Count };

export interface AcceptedRow extends RowOnHost {
  readonly parked: boolean;
  readonly late: boolean;
}

export interface RouteCounts {
  readonly counts: Counts;
  /** Stops with a missing or an extra row, in order. */
  readonly stops: readonly number[];
}

/** Compares by key, so that a missing row and a foreign one never cancel each other out. */
export function countRows(accepted: readonly AcceptedRow[], onHost: readonly RowOnHost[]): RouteCounts {
  const found = new Set(onHost.map(nameOf));
  const known = new Map(accepted.map((row) => [nameOf(row), row]));
  const rows = [...known.values()];
  const missing = rows.filter((row) => !found.has(nameOf(row)));
  const extra = onHost.filter((row) => !known.has(nameOf(row)));
  const count = (kind: RowKind): Count => {
    const ofKind = <Row extends RowOnHost>(all: readonly Row[]) => all.filter((row) => row.kind === kind);
    return {
      accepted: ofKind(rows).length,
      onHost: ofKind(rows).length - ofKind(missing).length,
      parked: ofKind(missing).filter(({ parked }) => parked).length,
      late: ofKind(rows).filter(({ late }) => late).length,
      extra: ofKind(extra).length,
    };
  };
  const stops = [...missing.filter(({ parked }) => !parked), ...extra].map(({ stop }) => stop);
  return {
    counts: { S: count('S'), L: count('L'), E: count('E'), P: count('P') },
    stops: [...new Set(stops)].sort((one, other) => one - other),
  };
}

/** Whether a row is neither on the host nor parked, or the host has one that was not accepted. */
export function differs(counts: Counts): boolean {
  return countedKinds.some((kind) => isDifferent(counts[kind]));
}

export function isDifferent({ accepted, onHost, parked, extra }: Count): boolean {
  return accepted !== onHost + parked || extra > 0;
}

/** The sum of several routes. */
export function sumOf(all: readonly Counts[]): Counts {
  const sum = (kind: RowKind): Count => {
    const total = (part: keyof Count) => all.reduce((before, counts) => before + counts[kind][part], 0);
    return {
      accepted: total('accepted'),
      onHost: total('onHost'),
      parked: total('parked'),
      late: total('late'),
      extra: total('extra'),
    };
  };
  return { S: sum('S'), L: sum('L'), E: sum('E'), P: sum('P') };
}

const nameOf = ({ kind, key }: RowOnHost): string => `${kind}/${key}`;
