import { beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod/mini';
import { operations } from '../../../server/src/http/operations.ts';
import { operatorHeaders } from '../../support/operators.ts';
import { startRestServer, type RestServer } from '../../support/rest-server.ts';
import { chainedPack } from '../../verify/packs.ts';

let server: RestServer;
let reader: Record<string, string>;
let pack: Buffer<ArrayBuffer>;

beforeAll(async () => {
  server = await startRestServer();
  reader = await operatorHeaders(server, 'look', 'READER');
  pack = Buffer.from(await chainedPack());
});

const answered = z.object({
  success: z.boolean(),
  data: z.optional(z.unknown()),
  error: z.optional(z.object({ code: z.string(), details: z.array(z.object({ path: z.string() })) })),
});

async function check(bytes: Buffer<ArrayBuffer>, { headers = reader, field = 'pack' } = {}) {
  const form = new FormData();
  form.append(field, new Blob([bytes]), 'evidence.zip');
  const answer = await fetch(`${server.client.url}/api/ops/evidence/verify`, { method: 'POST', headers, body: form });
  const { data, error } = answered.parse(await answer.json());
  const verification = data == null ? undefined : operations.verifyEvidence.data.parse(data);
  return { status: answer.status, error, data: verification };
}

describe('POST /api/ops/evidence/verify: a pack', () => {
  test('of this server is intact, and says what lacks', async () => {
    const { data } = await check(pack);
    expect(data?.outcome).toBe('unsigned');
    expect(data?.checks.filter(({ state }) => state !== 'passed').map(({ check: name }) => name)).toEqual([
      'seal',
      'certificate',
      'log',
      'witness',
      'elsewhere',
      'stamps',
    ]);
  });

  test('with one byte changed is tampered, with the reason', async () => {
    const changed = Buffer.from(pack);
    changed[changed.indexOf('driver_comments')] = 0x58;
    const { data } = await check(changed);
    expect(data?.outcome).toBe('tampered');
    expect(data?.checks[0]).toMatchObject({ check: 'container', state: 'failed', findings: [{ about: 'pack.json' }] });
  });

  test('that is another file is unreadable; none at all is named', async () => {
    expect((await check(Buffer.alloc(200_000, 'x'))).data?.outcome).toBe('unreadable');
    expect((await check(Buffer.alloc(0))).data?.outcome).toBe('unreadable');
    const { status, error } = await check(pack, { field: 'file' });
    expect([status, error?.code, error?.details[0]?.path]).toEqual([400, 'VALIDATION_FAILED', 'pack']);
  });

  test('an operator checks 120 an hour; a stranger checks none', async () => {
    await server.database.pool.query(
      `insert into event_window (key, count, ends_at) values ('evidence checks of TOMG', 120, now() + interval '1 hour')`,
    );
    const tom = await operatorHeaders(server, 'look', 'TOMG');
    expect((await check(pack, { headers: tom })).error?.code).toBe('RATE_LIMITED');
    expect((await check(pack, { headers: {} })).status).toBe(401);
  });
});
