import type { Writable } from 'node:stream';
import type { DestinationStream, Logger } from 'pino';
import { pino } from 'pino';
import { PinoPretty } from 'pino-pretty';
import { onlyCell } from './cell-name.ts';

/**
 * JSON lines. Callers choose the fields of a log line; of errors, which come from elsewhere, only fields known as
 * harmless are logged. Lines of one of several cells carry its name.
 */
export function openLogger(level: string, destination: DestinationStream, cell = onlyCell): Logger {
  const log = pino({ level, serializers: { err: loggedError } }, destination);
  return cell === onlyCell ? log : log.child({ cell });
}

/**
 * Log lines go to standard error, apart from the output on standard output: to a terminal as sentences, anywhere else
 * as JSON lines.
 */
export function standardError(isTerminal: boolean): DestinationStream {
  return isTerminal ? sentences(2) : pino.destination({ dest: 2, sync: true });
}

/**
 * One line an event, for people. It leaves out fields that are useless on one's own machine, or shorter in the banner.
 */
export function sentences(destination: number | Writable): DestinationStream {
  const ignore = 'pid,hostname,open';
  return PinoPretty({ destination, sync: true, singleLine: true, translateTime: 'SYS:HH:MM:ss', ignore });
}

/**
 * Other fields of an error show rows and inputs: PostgreSQL's `detail` quotes a whole row ("Failing row contains …"),
 * `where` and `parameters` show written values, a mail server's response shows the mail.
 */
const loggedErrorFields = [
  'code',
  'errno',
  'syscall',
  'address',
  'port',
  'severity',
  'schema',
  'table',
  'column',
  'constraint',
];
/** Causes of causes; an error can be its own. */
const maxCauses = 5;

interface LoggedError {
  readonly type: string;
  readonly message: string;
  readonly stack: string | undefined;
  readonly [fact: string]: unknown;
}

/** The logged form of an error. A thrown value that is no error is logged by its type alone. */
function loggedError(error: unknown, causes = maxCauses): LoggedError {
  if (!isError(error)) return { type: typeof error, message: 'what was thrown is no error', stack: undefined };
  const facts = loggedErrorFields.flatMap((name): [string, unknown][] => {
    const fact: unknown = Reflect.get(error, name);
    return typeof fact === 'string' || typeof fact === 'number' ? [[name, fact]] : [];
  });
  return {
    type: error.name ?? 'Error',
    message: error.message,
    stack: error.stack,
    ...Object.fromEntries(facts),
    ...(causes > 0 && error.cause !== undefined && { cause: loggedError(error.cause, causes - 1) }),
    ...(causes > 0 &&
      error instanceof AggregateError && { errors: error.errors.map((one) => loggedError(one, causes - 1)) }),
  };
}

/** pg-boss reports a worker's errors as copies: plain objects with message and stack, which are no `Error` any more. */
const isError = (thrown: unknown): thrown is Pick<Error, 'message' | 'stack' | 'cause'> & { readonly name?: string } =>
  thrown instanceof Error ||
  (typeof thrown === 'object' &&
    thrown !== null &&
    'message' in thrown &&
    typeof thrown.message === 'string' &&
    'stack' in thrown &&
    typeof thrown.stack === 'string');
