import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

const stored = z.object({ started_at: z.iso.datetime(), finished: z.boolean() });

/** The demo day of a data folder: its start, from which all of its times count, and whether it was played to its end. */
export interface KeptDay {
  readonly start: Date;
  readonly finished: boolean;
}

const fileIn = (dataDir: string): string => join(dataDir, 'demo-day.json');

/** @returns undefined before the first start */
export async function readDay(dataDir: string): Promise<KeptDay | undefined> {
  const text = await readFile(fileIn(dataDir), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (text === undefined) return undefined;
  const { started_at, finished } = stored.parse(JSON.parse(text));
  return { start: new Date(started_at), finished };
}

export async function saveDay(dataDir: string, { start, finished }: KeptDay): Promise<void> {
  const file = fileIn(dataDir);
  const draft = `${file}.draft`;
  await writeFile(draft, JSON.stringify({ started_at: start.toISOString(), finished }), { mode: 0o600, flush: true });
  await rename(draft, file);
}
