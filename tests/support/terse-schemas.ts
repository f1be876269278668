import { afterAll, beforeAll } from 'vitest';
import { config } from 'zod/v4/core';

/**
 * Schemas report as on a phone during this file. The whole zod, which earlier files in the process have loaded for the
 * server, gives every schema its English messages; a phone never loads it.
 */
export function terseSchemas(): void {
  const { localeError } = config();
  beforeAll(() => void config({ localeError: undefined }));
  afterAll(() => void config({ localeError }));
}
