/**
 * The protocol's versions, a line each. A server supports every released version (docs/protocol.md): add a line and never
 * edit a released one. `tests/protocol/history.test.ts` compares a hash of every released schema.
 */
export const protocolHistory = [
  {
    version: 1,
    released: '2026-11',
    what: 'hello, push, patch, ping; stop.update 1, stop.skip_refuse 1, report.load_condition 1',
  },
] as const;

/** The version of this build. */
export const currentProtocol = 1;
/** The oldest version that this build supports. */
export const oldestProtocol = 1;
