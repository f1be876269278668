import type { Writable } from 'node:stream';
import type { DestinationStream, Logger } from 'pino';
import { pino } from 'pino';
import { PinoPretty } from 'pino-pretty';

/** JSON lines. Whoever logs names what it logs; of errors, which others make, only what is known to be harmless is kept. */
export function openLogger(level: string, destination: DestinationStream): Logger {
  return pino({ level, serializers: { err: tellError } }, destination);
}

/**
 * Log lines go to standard error, so that what is printed for people or programs on standard output stays by itself: to
 * a terminal as sentences, anywhere else as JSON lines.
 */
export function standardError(isTerminal: boolean): DestinationStream {
  return isTerminal ? sentences(2) : pino.destination({ dest: 2, sync: true });
}

/** A line an event, for people. Left out is what says nothing on one's own machine, or what the banner says shorter. */
export function sentences(destination: number | Writable): DestinationStream {
  const ignore = 'pid,hostname,open';
  return PinoPretty({ destination, sync: true, singleLine: true, translateTime: 'SYS:HH:MM:ss', ignore });
}

/**
 * What else an error may carry shows rows and inputs: PostgreSQL's `detail` quotes a whole row ("Failing row contains
 * …"), `where` and `parameters` what was written, a mail server's what somebody was sent.
 */
const harmless = ['code', 'errno', 'syscall', 'address', 'port', 'severity', 'schema', 'table', 'column', 'constraint'];
/** Causes of causes; an error can be its own. */
const mostCauses = 5;

interface ToldError {
  readonly type: string;
  readonly message: string;
  readonly stack: string | undefined;
  readonly [fact: string]: unknown;
}

/** An error as it is logged. What was thrown and is no error is told by its kind alone. */
function tellError(error: unknown, causes = mostCauses): ToldError {
  if (!isError(error)) return { type: typeof error, message: 'what was thrown is no error', stack: undefined };
  const facts = harmless.flatMap((name): [string, unknown][] => {
    const fact: unknown = Reflect.get(error, name);
    return typeof fact === 'string' || typeof fact === 'number' ? [[name, fact]] : [];
  });
  return {
    type: error.name ?? 'Error',
    message: error.message,
    stack: error.stack,
    ...Object.fromEntries(facts),
    ...(causes > 0 && error.cause !== undefined && { cause: tellError(error.cause, causes - 1) }),
    ...(causes > 0 &&
      error instanceof AggregateError && { errors: error.errors.map((one) => tellError(one, causes - 1)) }),
  };
}

/** pg-boss tells of a worker's errors by copies: objects with the words and the place, which are no `Error` any more. */
const isError = (thrown: unknown): thrown is Pick<Error, 'message' | 'stack' | 'cause'> & { readonly name?: string } =>
  thrown instanceof Error ||
  (typeof thrown === 'object' &&
    thrown !== null &&
    'message' in thrown &&
    typeof thrown.message === 'string' &&
    'stack' in thrown &&
    typeof thrown.stack === 'string');
