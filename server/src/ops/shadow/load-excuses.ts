import { readFile } from 'node:fs/promises';
import { StartError } from '../../runtime/start-error.ts';
import { alwaysExcused, ExcuseError, readExcuses, type Excuses } from './excuses.ts';

/** The rules of a file (SHADOW_RULES); without one those that hold always. @throws StartError names file and line */
export async function loadExcuses(file: string | undefined): Promise<Excuses> {
  if (file === undefined) return alwaysExcused;
  try {
    return readExcuses(await readFile(file, 'utf8'));
  } catch (cause) {
    if (cause instanceof ExcuseError) throw new StartError(`${file}, ${cause.message}`, { cause });
    throw new StartError(`SHADOW_RULES: ${file} cannot be read`, { cause });
  }
}
