type Db2State = { sqlstate: string; sqlcode?: number };

/** PostgreSQL's state in Db2's terms. */
export function db2StateOf(code: string): Db2State {
  return byCode[code] ?? byClass[code.slice(0, 2)] ?? { sqlstate: code };
}

/**
 * PostgreSQL's states where they differ from Db2's; the others (22001, 22003, 22021, 23505, 40001, 42601, …) are the
 * standard's for both.
 */
const byCode: { readonly [code: string]: Db2State } = {
  '22001': { sqlstate: '22001', sqlcode: -433 },
  '22003': { sqlstate: '22003', sqlcode: -413 },
  '22021': { sqlstate: '22021', sqlcode: -330 },
  '22P05': { sqlstate: '22021', sqlcode: -330 }, // untranslatable character
  '22P02': { sqlstate: '22018', sqlcode: -420 }, // not a number
  '23505': { sqlstate: '23505', sqlcode: -803 },
  '23514': { sqlstate: '23513', sqlcode: -545 }, // check constraint
  '25006': { sqlstate: '57009' }, // a standby takes no writes
  '25P02': { sqlstate: '40000' }, // follows a failure in the same transaction
  '25P03': { sqlstate: '08003' }, // idle in transaction, ended by the server
  '40P01': { sqlstate: '40001', sqlcode: -911 }, // deadlock
  '42501': { sqlstate: '42501', sqlcode: -551 },
  '42P01': { sqlstate: '42704', sqlcode: -204 }, // no such file
  '42703': { sqlstate: '42703', sqlcode: -206 },
  '3F000': { sqlstate: '42704', sqlcode: -204 }, // no such library
  '3D000': { sqlstate: '42705' }, // no such database
  '55P03': { sqlstate: '57033', sqlcode: -913 }, // lock timeout
  '55006': { sqlstate: '57033', sqlcode: -913 }, // object in use
  '57005': { sqlstate: '57005', sqlcode: -666 }, // only from a trigger of a trial, as is 58004
  '57014': { sqlstate: '57014', sqlcode: -952 }, // took too long
  '58004': { sqlstate: '58004', sqlcode: -901 },
  P0001: { sqlstate: '09000', sqlcode: -723 }, // a trigger raised an error
};

const byClass: { readonly [stateClass: string]: Db2State } = {
  '53': { sqlstate: '57011', sqlcode: -904 }, // memory, disk, connections
  '57': { sqlstate: '08003' }, // the server is shutting down or starting
  '58': { sqlstate: '57011', sqlcode: -904 }, // the system under it failed
  XX: { sqlstate: '57011', sqlcode: -904 },
};
