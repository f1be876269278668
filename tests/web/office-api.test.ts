import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { addressOf, apiUrl, createApi, Refusal, Unreachable } from '../../server/web/office/api/api.ts';
import { createKnown } from '../../server/web/office/api/known.ts';
import type { Answer } from '../../server/web/office/api/operations.ts';
import { operations } from '../../server/web/office/api/operations.ts';
import { bundlePage } from '../../server/web/build/bundle.ts';
import { web } from '../../server/web/build/sources.ts';

import { readText } from '../house/source-file.ts';
import { atTestEnd } from '../support/file-end.ts';
import { oneTimePassword, operatorToken } from '../support/operators.ts';
import { startRestServer } from '../support/rest-server.ts';

/** A server in the place of ours. @returns its address */
async function answering(answer: (answer: ServerResponse) => unknown): Promise<string> {
  const server = createServer((request, response) => {
    request.resume().on('end', () => answer(response));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  atTestEnd(async () => void server.close());
  const address = server.address();
  return `http://127.0.0.1:${address instanceof Object ? address.port : 0}`;
}

/** Sends less than it has announced. */
function breakOff(answer: ServerResponse, status: number): void {
  answer.writeHead(status, { 'content-length': 1_000 });
  answer.write('{"data":', () => answer.destroy());
}

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

test('a wrong one-time password is refused, and the session goes on', async () => {
  const node = await startRestServer();
  const { client } = node;
  const token = await operatorToken(client, 'NEWCOMER', await oneTimePassword(node, 'NEWCOMER'));
  const ended: string[] = [];
  const connection = { url: `${client.url}/api`, token: () => token, onSignedOut: () => void ended.push('ended') };
  const body = { current_password: 'mistyped', new_password: 'a long enough one' };
  const refused = createApi(connection).call('changeOperatorPassword', { body });
  await expect(refused).rejects.toMatchObject({ status: 401, code: 'INVALID_CREDENTIALS' });
  expect(ended).toEqual([]);
});

describe('an answer that is not whole, or not the server’s, is none:', () => {
  const page = '<!doctype html><title>Sign in to this network</title>';
  test.each([
    ['a page of the network', (answer: ServerResponse) => answer.end(page)],
    ['JSON of another machine', (answer: ServerResponse) => answer.end('null')],
    ['a body that breaks off', (answer: ServerResponse) => breakOff(answer, 200)],
    ['a refusal that breaks off', (answer: ServerResponse) => breakOff(answer, 503)],
  ])('%s', async (_, answer) => {
    const url = await answering(answer);
    const heard: string[] = [];
    const connection = {
      url,
      token: () => 'present',
      onAnswer: () => void heard.push('heard'),
      onSilence: () => void heard.push('silence'),
    };
    const api = createApi(connection);
    await expect(api.call('listParked', {})).rejects.toBeInstanceOf(Unreachable);
    await expect(api.upload('verifyEvidence', 'pack', new File(['x'], 'x.zip'))).rejects.toBeInstanceOf(Unreachable);
    expect(heard).toEqual(['silence', 'silence']);
  });

  test('bytes that break off', async () => {
    const url = await answering((answer) => breakOff(answer, 200));
    const api = createApi({ url, token: () => 'present' });
    const bytes = api.bytes('readOpsAsset', { params: { asset_id: 'a' } }, new AbortController().signal);
    await expect(bytes).rejects.toBeInstanceOf(Unreachable);
  });
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

test('an answer that is still the present one keeps its place among the kept ones', async () => {
  const known = createKnown(2);
  const read = (key: string, next: Answer<never> | undefined): Promise<boolean> =>
    known.read({ read: () => Promise.resolve(next) }, key, { name: 'listParked', input: {}, signal });
  const { signal } = new AbortController();
  const parse: (text: string) => Answer<never> = JSON.parse;
  const answer = parse('{"data":[],"nextCursor":null,"etag":"1"}');
  expect(await read('first', answer)).toBe(true);
  await read('second', answer);
  expect(await read('first', undefined)).toBe(false);
  await read('third', answer);
  expect(['first', 'second', 'third'].map((key) => known.get(key) !== undefined)).toEqual([true, false, true]);
});
