import { randomUUID } from 'node:crypto';
import type { RouteKey } from '@tailgate/sync-protocol';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { operations } from '../../../server/src/http/operations.ts';
import { operatorHeaders } from '../../support/operators.ts';
import { opsToken, startRestServer, type RestServer } from '../../support/rest-server.ts';
import { addRoute, delivered } from '../mutations/fixture.ts';
import { logOf } from '../../support/whole-log.ts';
import { mailDeps } from './mail-fixture.ts';

const { listActs, listIncidents, previewProof, readOpsStop, readStopHistory, sendProof } = operations;
const machine = { authorization: `Bearer ${opsToken}` };

let mail: Awaited<ReturnType<typeof mailDeps>>;
let node: RestServer;
let mary: Record<string, string>;
let tom: Record<string, string>;

beforeAll(async () => {
  mail = await mailDeps();
  node = await startRestServer({ database: mail.deps.database });
  mary = await operatorHeaders(node, 'repair', 'MARYB');
  tom = await operatorHeaders(node, 'repair', 'TOMG');
});

beforeEach(() => mail.stopMails());

const stopOf = ({ facility, id, week_end }: RouteKey, stop: number) => ({
  facility,
  route_id: id,
  week_end,
  stop_id: String(stop),
});

interface Wanted {
  readonly to?: string;
  readonly mail_id?: string;
  readonly last_seen?: string | null;
  readonly by?: string;
}

/** A request of an operator for stop 1 of a route. */
const request = (headers: Record<string, string>, key: RouteKey, wanted: Wanted = {}, stop = 1) => ({
  headers,
  params: stopOf(key, stop),
  body: { mail_id: randomUUID(), to: 'clerk@store.example', ...wanted },
});
const send = (...args: Parameters<typeof request>) => node.client.take(sendProof, request(...args));
const refused = async (...args: Parameters<typeof request>) => {
  const { status, error, message, data } = await node.client.call(sendProof, request(...args));
  return { status, code: error?.code, details: error?.details, message, data };
};
const preview = (key: RouteKey, stop = 1, headers = mary) =>
  node.client.take(previewProof, { headers, params: stopOf(key, stop) });

/** A header in encoded words (RFC 2047). */
const decoded = (header: string): string =>
  decodeURIComponent(
    header
      .replaceAll(/\?= =\?UTF-8\?Q\?|=\?UTF-8\?Q\?|\?=/g, '')
      .replaceAll('_', ' ')
      .replaceAll('=', '%'),
  );

async function deliveredRoute(id: string): Promise<RouteKey> {
  const key = await addRoute(mail.deps, id, ['1001']);
  await mail.submit(key, delivered(1, 'At the back door'));
  return key;
}

describe('the preview of a proof', () => {
  test('is the mail of the stop, with the addresses of the store and what is missing', async () => {
    const key = await deliveredRoute('P1');
    const shown = await preview(key);
    expect(shown).toMatchObject({
      status: 'D',
      can_send: true,
      lacks: ['receiver', 'signature'],
      addresses: ['manager1@example.com'],
      pictures: 0,
      proofs: [],
    });
    const { afterStatement } = await mail.startMails();
    const { mail_id } = await send(mary, key);
    const received = await mail.mailOf(mail_id);
    await afterStatement('mail_save_sent');
    expect(decoded(received.headers.get('subject') ?? '')).toBe(shown.subject);
    expect(received.source.replaceAll('\r\n', '\n')).toContain(shown.text.trim());
    expect(shown.text).toContain('At the back door');
  });

  test('and the mail end in the newest checkpoint of the log, as a recipient can keep it', async () => {
    const key = await deliveredRoute('P1-LOG');
    await (
      await logOf(mail.deps.database.pool)
    )();
    const { rows } = await mail.deps.database.pool.query<{ note: string }>(
      `select note from log_checkpoint where facility = $1 order by size desc limit 1`,
      [key.facility],
    );
    const note = rows[0]?.note ?? 'no checkpoint';
    expect(note).toMatch(/^pod\.example\.com\/log\/F01\n\d+\n[\w+/=]{44}\n\n— pod\.example\.com\/log\/F01 /);
    expect((await preview(key)).text).toContain(note);
    const { afterStatement } = await mail.startMails();
    const received = await mail.mailOf((await send(mary, key)).mail_id);
    await afterStatement('mail_save_sent');
    expect(received.source.replaceAll('\r\n', '\n')).toContain(note);
  });

  test('of a stop that is not delivered says so, and sends nothing', async () => {
    const key = await addRoute(mail.deps, 'P2', ['1001']);
    await mail.submit(key, {
      id: 1,
      updates: { store_emp_name: 'Ana', image_ids: [], signature_id: 'AAAAAAAAAAAAAAAA' },
    });
    const shown = await preview(key);
    expect(shown).toMatchObject({ status: 'P', can_send: false, lacks: ['delivery', 'files'] });
    expect(await refused(mary, key)).toMatchObject({
      status: 409,
      code: 'NOT_DELIVERED',
      message: 'The stop is not delivered yet. Missing: delivery, files.',
    });
    await mail.submit(key, { id: 2, updates: { status: 'S' } });
    expect((await refused(mary, key, {}, 2)).message).toBe(
      'The stop is skipped. Missing: delivery, receiver, signature.',
    );
    expect((await preview(key)).proofs).toEqual([]);
  });

  test('is an error for an unknown route or stop', async () => {
    const key = await addRoute(mail.deps, 'P3', ['1001']);
    const params = stopOf({ ...key, id: 'NONE' }, 1);
    expect((await node.client.call(previewProof, { headers: mary, params })).error?.code).toBe('ROUTE_NOT_FOUND');
    expect((await refused(mary, key, {}, 77)).code).toBe('STOP_NOT_FOUND');
  });
});

describe('a sent proof', () => {
  test('goes once to the named address, and the stop, its record and the acts show it', async () => {
    const key = await deliveredRoute('S1');
    await mail.startMails();
    const wanted = { mail_id: randomUUID(), to: ' Clerk@store.example ' };
    const queued = await send(mary, key, wanted);
    expect(queued).toMatchObject({ to: 'Clerk@store.example', by: 'MARYB', state: 'queued', sent_at: null });
    const again = await send(mary, key, wanted);
    expect(again).toMatchObject({ mail_id: queued.mail_id, asked_at: queued.asked_at });
    const received = await mail.mailOf(queued.mail_id);
    expect(received.recipients).toEqual(['Clerk@store.example']);
    expect(received.headers.get('to')).toBe('Clerk@store.example');
    expect(received.headers.has('cc')).toBe(false);
    const readStop = () => node.client.take(readOpsStop, { headers: tom, params: stopOf(key, 1) });
    await expect.poll(async () => (await readStop()).proofs[0]?.state).toBe('sent');
    expect(mail.mailsOf(queued.mail_id)).toHaveLength(1);

    const stop = await readStop();
    const record = await node.client.take(readStopHistory, {
      headers: tom,
      query: `?${new URLSearchParams(stopOf(key, 1))}`,
    });
    expect(stop.proofs).toMatchObject([{ mail_id: queued.mail_id, by: 'MARYB', state: 'sent' }]);
    expect(stop.proofs[0]?.sent_at).toMatch(/^20/);
    expect(record.proofs).toEqual(stop.proofs);
    expect(await node.client.take(listActs, { headers: tom, query: '?subject_kind=proof&route_id=S1' })).toMatchObject([
      {
        by: 'MARYB',
        act: 'sendProof',
        subject: queued.mail_id,
        route_id: 'S1',
        stop_id: 1,
        after: `{"to":"Clerk@store.example"}`,
      },
    ]);
  });

  test('is told to the second operator before a further mail goes', async () => {
    const key = await deliveredRoute('S2');
    const seen = (await preview(key, 1, tom)).proofs[0]?.mail_id ?? null;
    const first = await send(mary, key, { last_seen: null });
    expect(await refused(tom, key, { last_seen: seen })).toMatchObject({
      status: 409,
      code: 'PROOF_REQUESTED',
      data: { by: 'MARYB', at: first.asked_at },
    });
    const second = await send(tom, key, { last_seen: first.mail_id, to: 'other@store.example' });
    expect((await preview(key)).proofs.map(({ by, to }) => [by, to])).toEqual([
      ['TOMG', 'other@store.example'],
      ['MARYB', 'clerk@store.example'],
    ]);
    expect(second.state).toBe('queued');
  });

  test('goes once where two operators send at the same moment', async () => {
    const key = await deliveredRoute('S3');
    const answers = await Promise.all([
      refused(mary, key, { last_seen: null }),
      refused(tom, key, { last_seen: null }),
    ]);
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409]);
    expect((await preview(key)).proofs).toHaveLength(1);
  });

  test('is retried where the mail server is away, and reported where it was in vain', async () => {
    const key = await deliveredRoute('S4');
    mail.server.refuse('gone@store.example', 550, '5.1.1 no such mailbox');
    const { afterStatement } = await mail.startMails();
    const { mail_id } = await send(mary, key, { to: 'gone@store.example' });
    await afterStatement('mail_save_given_up');
    expect((await preview(key)).proofs).toMatchObject([{ mail_id, state: 'given_up', sent_at: null }]);
    const incidents = await node.client.take(listIncidents, { headers: mary, query: '?kind=mail_given_up' });
    expect(incidents.map(({ details }) => details).join()).toContain(mail_id);

    const other = await deliveredRoute('S5');
    mail.server.refuse('slow@store.example', 450, '4.2.0 later');
    const { mail_id: slow } = await send(mary, other, { to: 'slow@store.example' });
    await afterStatement('mail_save_settled');
    expect((await preview(other)).proofs).toMatchObject([{ state: 'queued' }]);
    mail.server.acceptAll();
    await mail.mailOf(slow);
    expect(mail.mailsOf(slow)).toHaveLength(1);
  });
});

describe('a request for a proof', () => {
  test.each([
    ['blank', ''],
    ['no address', 'Ana at the store'],
    ['two addresses', 'a@store.example, b@store.example'],
    ['a header', 'a@store.example\r\nBcc: b@store.example'],
    ['a name', 'Ana <a@store.example>'],
  ])('with %s is refused and names `to`', async (_, to) => {
    const key = await addRoute(mail.deps, `Q${to.length}`, ['1001']);
    const { status, code, details } = await refused(mary, key, { to });
    expect([status, code]).toEqual([400, 'VALIDATION_FAILED']);
    expect(details).toEqual([{ path: 'to', message: 'must be one mail address, such as store@example.com' }]);
  });

  test('with the id of another mail is refused', async () => {
    const key = await deliveredRoute('R1');
    const other = await deliveredRoute('R2');
    const { mail_id } = await send(mary, key);
    expect(await refused(mary, key, { mail_id, to: 'x@store.example' })).toMatchObject({
      status: 409,
      code: 'IDEMPOTENCY_KEY_REUSED',
    });
    expect((await refused(mary, other, { mail_id })).code).toBe('IDEMPOTENCY_KEY_REUSED');
  });

  test('of a program names its author', async () => {
    const key = await deliveredRoute('R3');
    expect((await refused(machine, key)).details).toEqual([{ path: 'by', message: 'is required with OPS_TOKEN' }]);
    expect(await send(machine, key, { by: 'PORTAL' })).toMatchObject({ by: 'machine:PORTAL' });
  });

  test('is limited for a stop and for an operator, and a refused one counts nothing', async () => {
    const key = await deliveredRoute('R4');
    const anne = await operatorHeaders(node, 'repair', 'ANNE');
    for (let n = 0; n < 10; n++) await send(anne, key);
    const over = await node.client.call(sendProof, request(anne, key));
    expect([over.status, over.error?.code]).toEqual([429, 'RATE_LIMITED']);
    expect(Number(over.headers.get('retry-after'))).toBeGreaterThan(3_000);
    let stop = key;
    for (let n = 0; n < 50; n++) {
      if (n % 10 === 0) stop = await deliveredRoute(`RA${n}`);
      await send(anne, stop);
    }
    expect((await refused(anne, await deliveredRoute('RB'))).code).toBe('RATE_LIMITED');
    expect((await send(tom, await deliveredRoute('RC'))).state).toBe('queued');
  });
});
