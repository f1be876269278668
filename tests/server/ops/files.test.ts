import { pathSets } from '@tailgate/sync-protocol';
import { beforeAll, describe, expect, test } from 'vitest';
import { operations } from '../../../server/src/http/operations.ts';
import { opsToken, startRestServer, type RestServer } from '../../support/rest-server.ts';
import { samples } from '../../support/uploads.ts';

const authorization = `Bearer ${opsToken}`;
const hostile = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"></svg>');

let server: RestServer;
let picture: string;
let script: string;

beforeAll(async () => {
  server = await startRestServer();
  const form = new FormData();
  form.append('files', new File([samples.png], 'dock.png'));
  form.append('files', new File([hostile], 'x".svg'));
  const answer = await server.client.send('POST', `${pathSets.v20}/assets`, { raw: form });
  [picture = '', script = ''] = operations.uploadAssets.data.parse(answer.data).ids;
});

const ask = (id: string, headers: Record<string, string> = {}) =>
  fetch(`${server.client.url}/api/ops/assets/${id}`, { headers: { authorization, ...headers } });

describe('GET /api/ops/assets/{asset_id}', () => {
  test('returns a picture as it was sent, for the page, and asks for credentials each time', async () => {
    const answer = await ask(picture);
    expect(answer.status).toBe(200);
    expect(Buffer.from(await answer.arrayBuffer()).equals(samples.png)).toBe(true);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'image/png',
      'content-disposition': 'inline; filename=dock.png',
      'x-content-type-options': 'nosniff',
      'cache-control': 'private, no-cache',
      'cross-origin-resource-policy': 'same-origin',
    });
    expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(answer.headers.get('content-security-policy')).toContain('sandbox');
    const tag = answer.headers.get('etag') ?? '';
    expect((await ask(picture, { 'if-none-match': tag })).status).toBe(304);
  });

  test('any other file is a download that runs nothing', async () => {
    const answer = await ask(script);
    expect(answer.headers.get('content-disposition')).toMatch(/^attachment;/);
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    expect(answer.headers.get('content-security-policy')).toContain('sandbox');
    await answer.arrayBuffer();
  });

  test('returns a part of a file', async () => {
    const answer = await ask(picture, { range: 'bytes=0-7' });
    expect(answer.status).toBe(206);
    expect(answer.headers.get('content-range')).toBe(`bytes 0-7/${samples.png.length}`);
    expect(Buffer.from(await answer.arrayBuffer()).equals(samples.png.subarray(0, 8))).toBe(true);
    expect((await ask(picture, { range: `bytes=${samples.png.length}-` })).status).toBe(416);
  });

  test('a driver’s credentials, none, and an unknown file are errors', async () => {
    expect((await ask(picture, { authorization: '' })).status).toBe(401);
    expect((await ask(picture, { authorization: 'Bearer other' })).status).toBe(401);
    expect((await ask('Z'.repeat(16))).status).toBe(404);
  });
});
