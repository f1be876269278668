import { join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { addressOf, apiUrl, createApi, Refusal, Unreachable } from '../../server/web/office/api/api.ts';
import { operations } from '../../server/web/office/api/operations.ts';
import { bundlePage } from '../../server/web/build/bundle.ts';
import { web } from '../../server/web/build/sources.ts';

import { readText } from '../house/source-file.ts';
import { startRestServer } from '../support/rest-server.ts';

const document = z.object({
  paths: z.record(z.string(), z.record(z.string(), z.object({ operationId: z.string() }))),
});

test('the console uses nothing that is not in the OpenAPI document', () => {
  const { paths } = document.parse(JSON.parse(readText('docs/openapi.json')));
  const documented = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId }]) => `${operationId} ${method.toUpperCase()} ${path}`),
  );
  const used = Object.entries(operations).map(
    ([name, [method, path]]) => `${name} ${method} /api${path.replaceAll(/:(\w+)/g, '{$1}')}`,
  );
  expect(used.filter((each) => !documented.includes(each))).toEqual([]);
});

test('no code of the server is in its bundle', async () => {
  const { inputs } = await bundlePage(join(web, 'office'), { runtime: 'preact', development: false });
  expect(inputs.filter((path) => path.startsWith('server/src/'))).toEqual([]);
  expect(inputs.length).toBeGreaterThan(20);
});

test('an address has its names filled and encoded, and no empty query field', () => {
  expect(apiUrl({ href: 'https://pod.example.com/prefix/office/#/parked' })).toBe('https://pod.example.com/prefix/api');
  const input = { params: { parked_id: 'a/b ?' }, query: { state: 'open', cursor: undefined, facility: '', limit: 5 } };
  expect(addressOf('/api', '/ops/parked/:parked_id/retry', input)).toBe(
    '/api/ops/parked/a%2Fb%20%3F/retry?state=open&limit=5',
  );
});

test('a refusal has the code, the faults and the status; without an answer the server is unreachable', async () => {
  const { client } = await startRestServer();
  const ended: string[] = [];
  const connection = { url: `${client.url}/api`, token: () => 'wrong', onSignedOut: () => void ended.push('ended') };
  const refused: unknown = await createApi(connection)
    .call('listParked', {})
    .catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(Refusal);
  expect(refused).toMatchObject({ status: 401, code: 'INVALID_TOKEN' });
  expect(ended).toEqual(['ended']);
  const nowhere = createApi({ url: 'http://127.0.0.1:1/api', token: () => undefined });
  await expect(nowhere.call('listParked', {})).rejects.toBeInstanceOf(Unreachable);
});

test.each([
  ['a locked page, which has no token', undefined],
  ['an earlier session', 'earlier'],
])('a late refusal of a request from %s ends no later session', async (_, before) => {
  const { client } = await startRestServer();
  let token = before;
  const ended: string[] = [];
  const connection = { url: `${client.url}/api`, token: () => token, onSignedOut: () => void ended.push('ended') };
  const late = createApi(connection).call('listParked', {});
  token = 'present';
  await expect(late).rejects.toMatchObject({ status: 401 });
  expect(ended).toEqual([]);
});
