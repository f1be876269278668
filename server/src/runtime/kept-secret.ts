import { randomBytes } from 'node:crypto';
import { link, readFile, rm, writeFile } from 'node:fs/promises';
import { StartError } from './start-error.ts';

export interface StoredSecret {
  secret: string;
  /** It was made just now. */
  fresh: boolean;
}

/**
 * A text that the first process stores in a file with mode 600. `link` shows the whole file or none, so processes that
 * start together agree on one text, and no crash, not even of the machine, leaves an empty one.
 */
export async function keepOnce(file: string, text: string): Promise<{ text: string; fresh: boolean }> {
  const draft = `${file}.${randomBytes(4).toString('hex')}`;
  await writeFile(draft, text, { mode: 0o600, flush: true });
  const fresh = await link(draft, file).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'EEXIST') return false;
      throw error;
    },
  );
  await rm(draft);
  return { text: await readFile(file, 'utf8'), fresh };
}

/** A secret that the first start makes and stores. */
export async function storeSecret(file: string): Promise<StoredSecret> {
  const { text, fresh } = await keepOnce(file, randomBytes(24).toString('base64url'));
  return { secret: text.trim(), fresh };
}

/** A secret that an operator keeps in a file. @throws StartError that names the setting */
export async function readSecret(file: string, setting: string): Promise<string> {
  const secret = await readFile(file, 'utf8').catch((cause: NodeJS.ErrnoException) => {
    throw new StartError(`${setting}: the file cannot be read (${cause.code ?? cause.name})`, { cause });
  });
  if (secret.trim() === '') throw new StartError(`${setting}: the file is empty`);
  return secret.trim();
}
