import { expect } from 'vitest';
import { undocumented } from './documented.ts';

/**
 * `fetch` for small answers of a server in another process; the test fails where docs/openapi.json does not contain the
 * answer.
 */
export async function fetchDocumented(url: string): Promise<Response> {
  const response = await fetch(url);
  const { status, headers } = response;
  const isJson = headers.get('content-type')?.startsWith('application/json');
  const body: unknown = isJson ? await response.clone().json() : undefined;
  expect(undocumented({ method: 'GET', url: new URL(url).pathname, status, headers, body })).toEqual([]);
  return response;
}
