import { createPrivateKey, generateKeyPairSync } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, open, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { StartError } from '../runtime/start-error.ts';
import { readCheckpoint } from '../tlog/format/checkpoint.ts';
import { publicBytes } from '../tlog/format/note.ts';
import type { WitnessKey } from './witness.ts';

/** The newest signed checkpoint of each log, in one file. */
export interface Checkpoints {
  readonly of: (origin: string) => string | undefined;
  readonly count: () => number;
  /** Resolves when the note is on the disk. One call at a time. */
  readonly keep: (origin: string, note: string) => Promise<void>;
}

const [stored, keyFile] = ['checkpoints.json', 'key.pem'];

/**
 * Opens the folder of a witness; the first start makes it. A key without its checkpoints is refused: a witness that
 * has forgotten what it signed would sign another history. @throws StartError
 */
export async function openFolder(folder: string, name: string): Promise<{ checkpoints: Checkpoints; key: WitnessKey }> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if (!existsSync(join(folder, keyFile))) {
    if (!existsSync(join(folder, stored))) await replace(folder, stored, '{}');
    const pem = generateKeyPairSync('ed25519').privateKey.export({ format: 'pem', type: 'pkcs8' });
    // The key comes last: it shows that the other file was there.
    await replace(folder, keyFile, pem.toString());
  }
  try {
    const notes = new Map(Object.entries(parseNotes(await readFile(join(folder, stored), 'utf8'))));
    for (const note of notes.values()) readCheckpoint(note);
    const key = createPrivateKey(await readFile(join(folder, keyFile)));
    publicBytes(key);
    return { checkpoints: keepIn(folder, notes), key: { name, private: key } };
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    const way = 'put it back from a copy, or begin a new witness: another WITNESS_DIR and another WITNESS_NAME';
    throw new StartError(`${folder}: ${stored} or ${keyFile} cannot be read (${reason}): ${way}`, { cause });
  }
}

const keepIn = (folder: string, notes: Map<string, string>): Checkpoints => ({
  of: (origin) => notes.get(origin),
  count: () => notes.size,
  keep: async (origin, note) => {
    const next = Object.fromEntries(new Map(notes).set(origin, note));
    await replace(folder, stored, JSON.stringify(next, null, 1));
    notes.set(origin, note);
  },
});

const parseNotes: (text: string) => Record<string, string> = JSON.parse;

/** Puts a file in the place of another one: after a power cut there is the one or the other, whole. */
async function replace(folder: string, name: string, text: string): Promise<void> {
  const file = join(folder, name);
  await writeFile(`${file}.draft`, text, { mode: 0o600, flush: true });
  await rename(`${file}.draft`, file);
  if (process.platform === 'win32') return; // It opens no folders: the new name is on the disk later.
  const names = await open(folder, 'r');
  try {
    await names.sync();
  } finally {
    await names.close();
  }
}
