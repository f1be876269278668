// A part of statements.

/**
 * Whether a fact has a leaf: one look into the unique index. `exists` would become a join, for which the planner reads the
 * whole of a table that has grown since its last analysis.
 */
export const logged = (facility: string, kind: string, source: string): string =>
  `coalesce((select true from log_leaf f where f.facility = ${facility} and f.kind = '${kind}' and f.source = ${source}), false)`;
