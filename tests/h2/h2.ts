import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** Debian's libh2-java. */
const JAR = '/usr/share/java/h2.jar';
const MAX_OUTPUT = 64 * 1024 * 1024;

/** Statements that H2 refuses, with its message. All run in one empty database, in order. */
export async function refusedByH2(statements: readonly string[]): Promise<{ statement: string; message: string }[]> {
  const folder = await mkdtemp(join(tmpdir(), 'tailgate-h2-'));
  try {
    const file = join(folder, 'statements.sql');
    await writeFile(file, statements.map((statement) => `${statement};\n`).join(''));
    const words = ['-cp', JAR, 'org.h2.tools.RunScript', '-url', 'jdbc:h2:mem:host;MODE=DB2', '-script', file];
    const { stdout, stderr } = await promisify(execFile)('java', [...words, '-continueOnError'], {
      maxBuffer: MAX_OUTPUT,
    });
    const messages = [...`${stdout}\n${stderr}`.matchAll(/Exception: (.*); SQL statement:\s*([\s\S]*?) \[(\d+)-/g)];
    return messages.map(([, message = '', statement = '']) => ({ statement: statement.trim(), message }));
  } finally {
    await rm(folder, { recursive: true });
  }
}
