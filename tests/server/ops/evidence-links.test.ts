import { createHash } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { operations } from '../../../server/src/http/operations.ts';
import { insertRoutes, plan } from '../../support/mirror.ts';
import { operatorHeaders } from '../../support/operators.ts';
import { restChange } from '../../support/rest-change.ts';
import { opsToken, startRestServer, type RestServer } from '../../support/rest-server.ts';
import { statesOf, verify } from '../../verify/packs.ts';
import { unzipped } from './unzipped.ts';

const { listActs, listEvidenceLinks, makeEvidenceLink, revokeEvidenceLink, takeEvidence } = operations;
const key = { facility: 'F01', id: 'R100', week_end: '20261121' };
const ofStop = '?facility=F01&route_id=R100&week_end=20261121&stop_id=1';

const now = new Date('2026-11-24T08:00:00Z');
let server: RestServer;
let mary: Record<string, string>;
let tom: Record<string, string>;

beforeAll(async () => {
  server = await startRestServer({ access: 'strict' });
  server.clock.now = now;
  const stops = [plan(1), plan(2)];
  await insertRoutes(server.database.pool, [
    { facility: 'F01', id: 'R100', weekEnd: '20261121', drivers: ['1001'], stops },
  ]);
  await server.pipeline.submit(
    restChange(key, { id: 1, updates: { status: 'D', store_emp_name: 'Sam Storekeeper' } }, '1001'),
  );
  mary = await operatorHeaders(server, 'repair', 'MARYB');
  tom = await operatorHeaders(server, 'repair', 'TOMG');
});
beforeEach(async () => {
  server.clock.now = now;
  await server.database.pool.query('delete from event_window');
});

const link = (query = ofStop, body: object = {}) =>
  server.client.take(makeEvidenceLink, { headers: mary, query, body: { note: 'claim 4711', ...body } });
const take = (secret: string) =>
  fetch(`${server.client.url}/api/evidence/take`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ secret }),
  });
const list = () => server.client.take(listEvidenceLinks, { headers: mary });
const refused = async (secret: string) => (await server.client.call(takeEvidence, { body: { secret } })).error?.code;

describe('a link to an evidence pack', () => {
  test('is exchanged once, without an account, under ACCESS=strict', async () => {
    const { secret, link_id: id, expires_at, taken_at } = await link();
    expect([expires_at, taken_at]).toEqual(['2026-12-01T08:00:00.000Z', null]);
    const answer = await take(secret);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('cache-control')).toBe('private, no-store');
    expect(answer.headers.get('content-disposition')).toContain('evidence_F01_R100_20261121_1.zip');
    const bytes = Buffer.from(await answer.arrayBuffer());
    expect(String(unzipped(bytes).get('pack.json'))).toContain('Sam Storekeeper');
    expect(statesOf(await verify(bytes))).toMatchObject({ container: 'passed', document: 'passed' });
    expect(await refused(secret)).toBe('NOT_FOUND');
    expect((await list()).find(({ link_id }) => link_id === id)?.taken_at).toBe('2026-11-24T08:00:00.000Z');
    const acts = await server.client.take(listActs, { headers: mary, query: '?subject_kind=evidence' });
    const [taken, ...others] = acts.filter(({ act }) => act === 'takeEvidence');
    expect(taken).toMatchObject({ by: `link:${id}`, subject: 'F01_R100_20261121_1', reason: 'claim 4711', stop_id: 1 });
    expect(others).toEqual([]);
  });

  test('gives one pack to two requests of one moment', async () => {
    const { secret } = await link();
    const answers = await Promise.all([take(secret), take(secret)]);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 404]));
    for (const answer of answers) await answer.body?.cancel();
  });

  test('has the scope and the left-out parts that its author chose', async () => {
    const { secret, subject, without } = await link(`${ofStop}&without=names,photos`);
    expect([subject, without]).toEqual(['F01_R100_20261121_1', 'names,photos']);
    const members = unzipped(Buffer.from(await (await take(secret)).arrayBuffer()));
    expect(String(members.get('pack.json'))).not.toContain('Sam Storekeeper');
    const whole = await link('?facility=F01&route_id=R100&week_end=20261121');
    const answer = await take(whole.secret);
    expect(answer.headers.get('content-disposition')).toContain('evidence_F01_R100_20261121.zip');
    await answer.body?.cancel();
  });

  test('is stored as a hash only, and is an act of its author with the recipient', async () => {
    const { secret } = await link(ofStop, { note: 'insurer, claim 4712' });
    const { rows } = await server.database.pool.query<{ link: string; hash: string }>(
      `select row_to_json(l)::text as link, encode(secret_hash, 'hex') as hash from evidence_link l where note = 'insurer, claim 4712'`,
    );
    expect(rows[0]?.hash).toBe(createHash('sha256').update(secret).digest('hex'));
    expect(rows[0]?.link).not.toContain(secret);
    expect(server.logged.join('')).not.toContain(secret);
    const [act] = await server.client.take(listActs, { headers: mary, query: '?subject_kind=evidence' });
    expect(act).toMatchObject({ by: 'MARYB', act: 'makeEvidenceLink', reason: 'insurer, claim 4712', stop_id: 1 });
    const members = unzipped(Buffer.from(await (await take(secret)).arrayBuffer()));
    expect(String(members.get('pack.json'))).not.toContain('4712');
  });

  test('ends at its time', async () => {
    const { secret } = await link(ofStop, { days: 2 });
    server.clock.now = new Date('2026-11-26T08:00:00Z');
    expect(await refused(secret)).toBe('NOT_FOUND');
  });

  test('ends where an operator revokes it, and the second one learns who was first', async () => {
    const { secret, link_id } = await link();
    const revoke = (headers: Record<string, string>) =>
      server.client.call(revokeEvidenceLink, { headers, params: { link_id }, body: {} });
    expect((await revoke(mary)).data).toMatchObject({ revoked_by: 'MARYB' });
    expect(await refused(secret)).toBe('NOT_FOUND');
    expect((await revoke(tom)).error?.code).toBe('DECIDED_BEFORE');
    expect((await revoke(mary)).error?.code).toBe('NOT_FOUND');
    const [act] = await server.client.take(listActs, { headers: mary, query: '?subject_kind=evidence' });
    expect(act).toMatchObject({ act: 'revokeEvidenceLink', by: 'MARYB' });
  });

  test('is in the list of its stop while it can be used, also behind 500 later ones of other stops', async () => {
    const { link_id } = await link('?facility=F01&route_id=R100&week_end=20261121&stop_id=2');
    await server.database.pool.query(
      `insert into evidence_link (link_id, secret_hash, facility, route_id, week_end, stop_id, without, note, created_at, created_by,
                                  expires_at, revoked_at, revoked_by)
       select gen_random_uuid(), decode(lpad(to_hex(n), 64, '0'), 'hex'), 'F01', 'R100', '20261121', 1, '', 'later', $1, 'MARYB', $1, $1, 'MARYB'
         from generate_series(1, 501) n`,
      [new Date(now.getTime() + 1)],
    );
    expect((await list()).map((each) => each.link_id)).toContain(link_id);
    const ofStop2 = await server.client.take(listEvidenceLinks, { headers: mary, query: ofStop.replace(/1$/, '2') });
    expect(ofStop2.map((each) => each.link_id)).toContain(link_id);
    expect(ofStop2.every(({ stop_id }) => stop_id === null || stop_id === 2)).toBe(true);
    await server.database.pool.query(`delete from evidence_link where note = 'later'`);
  });

  test('is not made for an unknown stop, for no recipient, or for longer than 30 days', async () => {
    const fault = async (query: string, body: object) => {
      const { error } = await server.client.call(makeEvidenceLink, {
        headers: mary,
        query,
        body: { note: 'x', ...body },
      });
      return [error?.code, error?.details[0]?.path];
    };
    expect(await fault('?facility=F01&route_id=R100&week_end=20261121&stop_id=9', {})).toEqual([
      'STOP_NOT_FOUND',
      undefined,
    ]);
    expect(await fault(ofStop, { note: ' ' })).toEqual(['VALIDATION_FAILED', 'note']);
    expect(await fault(ofStop, { days: 31 })).toEqual(['VALIDATION_FAILED', 'days']);
    expect(await fault('?facility=F01', {})).toEqual(['VALIDATION_FAILED', 'route_id']);
  });

  test('of a program names its author', async () => {
    const machine = { authorization: `Bearer ${opsToken}` };
    const made = { headers: machine, query: ofStop };
    const { error } = await server.client.call(makeEvidenceLink, { ...made, body: { note: 'x' } });
    expect(error?.details[0]?.path).toBe('by');
    const { link_id, created_by } = await server.client.take(makeEvidenceLink, {
      ...made,
      body: { note: 'x', by: 'CLAIMS' },
    });
    const ending = { headers: machine, params: { link_id }, body: { by: 'CLAIMS' } };
    const { revoked_by } = await server.client.take(revokeEvidenceLink, ending);
    expect([created_by, revoked_by]).toEqual(['machine:CLAIMS', 'machine:CLAIMS']);
  });

  test('is guessed 20 times a minute, and made 60 times an hour', async () => {
    const codes = [];
    for (let n = 0; n < 21; n++) codes.push(await refused('A'.repeat(43)));
    expect([codes[19], codes[20]]).toEqual(['NOT_FOUND', 'RATE_LIMITED']);
    await server.database.pool.query(
      `insert into event_window (key, count, ends_at) values ('evidence links of MARYB', 60, now() + interval '1 day')`,
    );
    const { error } = await server.client.call(makeEvidenceLink, { headers: mary, query: ofStop, body: { note: 'x' } });
    expect(error?.code).toBe('RATE_LIMITED');
  });
});
