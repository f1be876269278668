import { afterAll, beforeAll } from 'vitest';
import { config } from 'zod/v4/core';

/**
 * Schemas speak as on a phone during this file. The whole zod, which files before it in the same process have loaded for
 * the server, gives every schema its English words; a phone never loads it.
 */
export function terseSchemas(): void {
  const { localeError } = config();
  beforeAll(() => void config({ localeError: undefined }));
  afterAll(() => void config({ localeError }));
}
