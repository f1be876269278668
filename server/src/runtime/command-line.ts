import { parseArgs, type ParseArgsOptionsConfig } from 'node:util';
import { endWithNpm } from './npm-parent.ts';
import { StartError } from './start-error.ts';

/** The manual of a program with several verbs. */
export interface Manual {
  /** The command line, such as `npm run host`. */
  readonly program: string;
  /** By verb: its arguments, and its effect. */
  readonly commands: Readonly<Record<string, { readonly takes: string; readonly does: string }>>;
  readonly note?: string;
}

export function helpOf({ program, commands, note }: Manual): string {
  const lines = Object.entries(commands).map(([verb, { takes, does }]) => [form(program, verb, takes), does] as const);
  const width = Math.max(...lines.map(([left]) => left.length));
  return [
    ...lines.map(([left, does]) => `${left.padEnd(width)}    ${does}`),
    ...(note === undefined ? [] : [note]),
  ].join('\n');
}

/** One line for a command that is not in the manual. */
export function misuseOf({ program, commands }: Manual, [verb = '']: readonly string[]): string {
  const command = Object.hasOwn(commands, verb) ? commands[verb] : undefined;
  if (command) return `${verb} is used so: ${form(program, verb, command.takes)}`;
  const there = `there are ${Object.keys(commands).join(', ')} (${program} -- --help)`;
  return verb === '' ? `what is to be done? ${there}` : `no command is named ${verb}: ${there}`;
}

const form = (program: string, verb: string, takes: string): string => `${program} -- ${verb} ${takes}`.trimEnd();

/** The words and options of a command. @throws StartError one line */
export function readWords<const Options extends ParseArgsOptionsConfig>(argv: readonly string[], options: Options) {
  try {
    return parseArgs({ args: [...argv], allowPositionals: true, options });
  } catch (cause) {
    // Behind the first sentence it lists other spellings.
    const [what] = cause instanceof Error ? cause.message.split('. ', 1) : [String(cause)];
    throw new StartError(`${what} (--help says what there is)`, { cause });
  }
}

/** An option with a count. @throws StartError one line */
export function countOf(option: string, written: string, min = 1): number {
  if (/^\d{1,9}$/.test(written) && Number(written) >= min) return Number(written);
  throw new StartError(`--${option}: expected a whole number from ${min}, got ${JSON.stringify(written)}`);
}

/**
 * Runs a program of the command line. `--help` prints the manual and does nothing else. An error that a person can correct
 * is one line, with exit code 1; any other error is a fault of the program, and shown as such. Under npm it ends with npm's
 * shell.
 *
 * @param failure the effect of a failure, as the line's first sentence
 */
export async function runProgram(
  help: string,
  main: (argv: readonly string[]) => Promise<void>,
  failure?: string,
): Promise<void> {
  endWithNpm(process.env);
  const argv = process.argv.slice(2);
  if (argv.includes('--help') || argv.includes('-h')) {
    process.stdout.write(`${help}\n`);
    return;
  }
  try {
    await main(argv);
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    process.stderr.write(`${failure === undefined ? '' : `${failure} `}${error.message}\n`);
    process.exitCode = 1;
  }
}
