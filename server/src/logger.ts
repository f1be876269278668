import type { DestinationStream, Logger } from 'pino';
import { pino } from 'pino';

/** JSON lines. Whoever logs names what it logs; of errors, which others make, only what is known to be harmless is kept. */
export function openLogger(level: string, destination: DestinationStream): Logger {
  return pino({ level, serializers: { err: tellError } }, destination);
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
  if (!(error instanceof Error))
    return { type: typeof error, message: 'what was thrown is no error', stack: undefined };
  const facts = harmless.flatMap((name): [string, unknown][] => {
    const fact: unknown = Reflect.get(error, name);
    return typeof fact === 'string' || typeof fact === 'number' ? [[name, fact]] : [];
  });
  return {
    type: error.name,
    message: error.message,
    stack: error.stack,
    ...Object.fromEntries(facts),
    ...(causes > 0 && error.cause !== undefined && { cause: tellError(error.cause, causes - 1) }),
    ...(causes > 0 &&
      error instanceof AggregateError && { errors: error.errors.map((one) => tellError(one, causes - 1)) }),
  };
}
