/**
 * The protocol's versions, a line each. A server speaks every version it ever released (docs/protocol.md): never edit a
 * released line, add one. `tests/protocol/history.test.ts` holds a hash of every released schema.
 */
export const protocolHistory = [
  {
    version: 1,
    released: '2026-11',
    what: 'hello, push, patch, ping; stop.update 1, stop.skip_refuse 1, report.load_condition 1',
  },
] as const;

/** What this build speaks. */
export const currentProtocol = 1;
/** The oldest version that this build still speaks. */
export const oldestProtocol = 1;
