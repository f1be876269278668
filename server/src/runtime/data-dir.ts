import { constants } from 'node:fs';
import { access, mkdir } from 'node:fs/promises';
import { StartError } from './start-error.ts';

/** Makes DATA_DIR, readable by the server's user alone, or throws the reason why it cannot be used. */
export async function prepareDataDir(dataDir: string): Promise<void> {
  try {
    await mkdir(dataDir, { recursive: true, mode: 0o700 });
    await access(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new StartError(
      `the data folder ${dataDir} cannot be used (${reason}): start as the user it belongs to, or set DATA_DIR to another folder`,
      { cause },
    );
  }
}
