import { operations } from '@tailgate/sync-protocol';
import { beforeAll, describe, expect, test } from 'vitest';
import type { RestServer } from '../../support/rest-server.ts';
import { startRestServer } from '../../support/rest-server.ts';

const directory = {
  otherwise: 'https://pod.example.com',
  facilities: new Map([['030', 'https://denver.example.com']]),
};

let server: RestServer;

beforeAll(async () => {
  server = await startRestServer({ cells: directory, access: 'strict', trustProxy: 1 });
});

const ask = (query: string, from = '203.0.113.1') =>
  server.client.call(operations.findCell, { query, headers: { 'x-forwarded-for': from } });

describe('GET /api/cell', () => {
  test('names the address of a facility, without credentials under strict access', async () => {
    expect((await ask('?facility=030')).data).toEqual({ url: 'https://denver.example.com' });
    expect((await ask('?facility=010')).data).toEqual({ url: 'https://pod.example.com' });
  });

  test('does not say whether a facility exists: an unknown one and none have the same answer', async () => {
    for (const query of ['', '?facility=', '?facility=99999', '?facility=%27%3B--', '?employee_id=1001'])
      expect((await ask(query)).data).toEqual({ url: 'https://pod.example.com' });
  });

  test('an id of six characters is an error that names the field', async () => {
    expect((await ask('?facility=123456')).error).toMatchObject({
      code: 'VALIDATION_FAILED',
      details: [{ path: 'facility' }],
    });
  });

  test('answers 600 questions a minute of an address, and of others meanwhile', async () => {
    const codes = await Promise.all(
      Array.from({ length: 601 }, async () => (await ask('', '203.0.113.9')).error?.code),
    );
    expect(codes.filter((code) => code === undefined)).toHaveLength(600);
    expect(codes.filter((code) => code === 'RATE_LIMITED')).toHaveLength(1);
    expect((await ask('', '203.0.113.10')).data).toEqual({ url: 'https://pod.example.com' });
  });

  test('a server without CELLS is the only cell', async () => {
    const alone = await startRestServer({ database: server.database });
    expect((await alone.client.call(operations.findCell, { query: '?facility=030' })).data).toEqual({ url: null });
  });
});
