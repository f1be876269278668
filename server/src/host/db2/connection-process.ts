import type { DriverConnection, DriverName, OpenConnection } from './driver.ts';
import type { Answer, AnswerMessage, RequestMessage, Failure } from './process-messages.ts';

// The program of one connection to Db2. It runs nothing else, so that blocking calls of the addon (such as the reliable
// commit) delay no other work. Its parent ends it; it never outlives the parent.

let connection: DriverConnection | undefined;
/** `failed`: a statement of the transaction has failed, so that it can only be rolled back. */
let transaction: 'none' | 'open' | 'failed' = 'none';
let last: Promise<void> = Promise.resolve();

process.on('message', (request: RequestMessage) => {
  last = last.then(() => reply(request));
});
process.on('disconnect', () => process.exit());
// A Ctrl-C reaches the whole group of processes; the parent ends its work in order and then this process.
process.on('SIGINT', () => undefined);
process.on('SIGTERM', () => undefined);

async function reply(request: RequestMessage): Promise<void> {
  send(await answerTo(request).then(asAnswer(request), asFailure(request)));
}

function asAnswer({ id }: RequestMessage): (answer: Answer) => AnswerMessage {
  return (answer) => ({ id, answer });
}

function asFailure({ id, kind }: RequestMessage): (reason: unknown) => AnswerMessage {
  return (reason) => {
    if (transaction === 'open' && (kind === 'query' || kind === 'execute')) transaction = 'failed';
    return { id, failure: failureOf(reason) };
  };
}

function send(message: AnswerMessage): void {
  process.send?.(message);
}

async function answerTo(request: RequestMessage): Promise<Answer> {
  if (request.kind === 'open') {
    const open = await driverOf(request.driver);
    connection = await open(request.connection, request.statementSeconds);
    return connection.database;
  }
  if (!connection) throw new Error('the connection is not open');
  switch (request.kind) {
    case 'begin':
      await connection.begin();
      transaction = 'open';
      return 0;
    case 'commit':
      return commit(connection);
    case 'rollback':
      transaction = 'none';
      await connection.rollback();
      return 0;
    case 'execute':
    case 'query':
      break;
  }
  // Db2 would run the statements after a failed one; a partly written stop is worse than none.
  if (transaction === 'failed') throw rolledBack('an earlier statement of this transaction had failed');
  return connection[request.kind](request.sql, request.parameters);
}

/** One connection has one driver: a process loads no other. */
async function driverOf(driver: DriverName): Promise<OpenConnection> {
  if (driver === 'odbc') return (await import('./odbc-driver.ts')).openOdbc;
  return (await import('./ibm-db-driver.ts')).openIbmDb;
}

async function commit(opened: DriverConnection): Promise<number> {
  if (transaction === 'failed') {
    transaction = 'none';
    await opened.rollback();
    throw rolledBack('the transaction was rolled back: one of its statements had failed');
  }
  transaction = 'none';
  await opened.commit();
  return 0;
}

function rolledBack(message: string): Error {
  return Object.assign(new Error(message), { sqlstate: '40000' });
}

/** The addon rejects with Errors and with plain objects, some with a state and a code. */
function failureOf(reason: unknown): Failure {
  if (typeof reason !== 'object' || reason === null) return { message: String(reason) };
  const message = 'message' in reason ? String(reason.message) : JSON.stringify(reason);
  const sqlstate = 'sqlstate' in reason && typeof reason.sqlstate === 'string' ? reason.sqlstate : undefined;
  const sqlcode = 'sqlcode' in reason && typeof reason.sqlcode === 'number' ? reason.sqlcode : undefined;
  const code = 'code' in reason && typeof reason.code === 'string' ? reason.code : undefined;
  return { message, sqlstate: sqlstate ?? code, sqlcode };
}
