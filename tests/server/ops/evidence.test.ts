import { createHash, randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { operations } from '../../../server/src/http/operations.ts';
import { readResult } from '../../../server/src/stops/stored-documents.ts';
import { insertRoutes, plan } from '../../support/mirror.ts';
import { operatorHeaders } from '../../support/operators.ts';
import { restChange } from '../../support/rest-change.ts';
import { opsToken, startRestServer, type RestServer } from '../../support/rest-server.ts';
import { storeFiles } from '../../support/uploads.ts';
import { found, statesOf, verify } from '../../verify/packs.ts';
import { readPdf } from './pdf-text.ts';
import { unzipped } from './unzipped.ts';

const { listActs, makeEvidence, previewEvidence } = operations;
const machine = { authorization: `Bearer ${opsToken}` };
const key = { facility: 'F01', id: 'R100', week_end: '20261121' };
const ofStop = '?facility=F01&route_id=R100&week_end=20261121&stop_id=1';
const ofRoute = '?facility=F01&route_id=R100&week_end=20261121';
const ofCustomer = '?facility=F01&customer=C1&from=20261101&until=20261130';
const photo = Buffer.from('a photo, as a phone has sent it');

let server: RestServer;
let mary: Record<string, string>;
let signature: string;
let picture: string;

beforeAll(async () => {
  server = await startRestServer();
  const { pool } = server.database;
  await pool.query(`insert into facility (id, name, zone) values ('F01', 'Chicago', 'America/Chicago')`);
  const route = (id: string, weekEnd: string) => ({ facility: 'F01', id, weekEnd, drivers: ['1001'] });
  await insertRoutes(pool, [
    { ...route('R100', '20261121'), stops: [plan(1), plan(2)] },
    { ...route('R100', '20261128'), stops: [plan(1)] },
    { ...route('R200', '20261231'), stops: [plan(1)] },
  ]);
  await pool.query(`update stop_plan set customer = 'C' || stop_id`);
  [signature = ''] = await storeFiles(server.client, { files: [{ name: 'signed.png', bytes: Buffer.from('signed') }] });
  [picture = ''] = await storeFiles(server.client, { files: [{ name: 'dock.jpg', bytes: photo }] });
  await record(1, {
    updates: { status: 'D', store_emp_name: 'Sam Storekeeper', signature_id: signature, driver_comments: 'side door' },
    products: [{ id: 'ITM100000', invoice: 'INV1', updates: { delivered: 3, image_ids: [picture, awaited] } }],
  });
  await record(2, { updates: { status: 'R', skip_refuse_reason_code: '12' } });
  mary = await operatorHeaders(server, 'repair', 'MARYB');
});

const awaited = 'AAAAAAAAAAAAAAAA';
const record = (id: number, stop: object) => server.pipeline.submit(restChange(key, { id, ...stop }, '1001'));
const ask = (query: string, { method = 'GET', headers = mary }: { method?: string; headers?: object } = {}) =>
  fetch(`${server.client.url}/api/ops/evidence${query}`, { method, headers: { ...headers } });
const refused = async (query: string, headers = mary) => {
  const { status, error } = await server.client.call(makeEvidence, { headers, query });
  return { status, code: error?.code, fields: error?.details.map(({ path }) => path) };
};
const preview = (query: string) => server.client.take(previewEvidence, { headers: mary, query });

async function pack(query: string): Promise<{ name: string; bytes: Buffer; members: Map<string, Buffer> }> {
  const answer = await ask(query);
  expect(answer.status).toBe(200);
  const bytes = Buffer.from(await answer.arrayBuffer());
  const name = /filename="?([^";]+)/.exec(answer.headers.get('content-disposition') ?? '')?.[1] ?? '';
  return { name, bytes, members: unzipped(bytes) };
}

interface PackJson {
  format: string;
  without: string[];
  scope: { kind: string };
  stops: {
    place: { stop_id: number; week_end: string };
    status: string;
    missing: { what: string }[];
    facts: { hash: string; body: string | null; employee_name: string }[];
    files: { asset_id: string; state: string; member: string | null; sha256: string | null; why: string }[];
  }[];
}
const parse: (text: string) => PackJson = JSON.parse;
const jsonOf = (members: Map<string, Buffer>): PackJson => parse(String(members.get('pack.json')));
const digest = (bytes: string | Buffer) => createHash('sha256').update(bytes).digest('hex');

describe('GET /api/ops/evidence', () => {
  test('of a stop has the document, each change byte for byte, the files, and their sums', async () => {
    const { name, members } = await pack(ofStop);
    expect(name).toBe('evidence_F01_R100_20261121_1.zip');
    const files = [...members.keys()].filter((member) => member.startsWith('files/'));
    expect([...members.keys()]).toEqual([
      'mimetype',
      ...files,
      'evidence.pdf',
      'pack.json',
      'VERIFY.txt',
      'SHA256SUMS',
    ]);
    const sums = String(members.get('SHA256SUMS')).trimEnd().split('\n');
    const summed = [...members].filter(([member]) => member !== 'SHA256SUMS');
    expect(sums).toEqual(summed.map(([member, bytes]) => `${digest(bytes)}  ${member}`));

    const { format, stops } = jsonOf(members);
    expect(format).toBe('tailgate-evidence/1');
    const [stop] = stops;
    expect(stop?.facts.map(({ body, hash }) => digest(body ?? '') === hash)).toEqual([true]);
    expect(stop?.files.map(({ asset_id, state }) => [asset_id, state])).toEqual([
      [signature, 'here'],
      [picture, 'here'],
      [awaited, 'awaited'],
    ]);
    const shown = stop?.files[1];
    expect(members.get(shown?.member ?? '')?.equals(photo)).toBe(true);
    expect(shown?.sha256).toBe(digest(photo));
    expect(stop?.missing.map(({ what }) => what)).toContain(`Photo 2 (${awaited}): It is still on its way.`);

    const text = readPdf(members.get('evidence.pdf') ?? Buffer.alloc(0)).pages.join('\n');
    expect(text).toContain('Sam Storekeeper');
    expect(text).toContain(shown?.sha256);
    expect(String(members.get('VERIFY.txt'))).toContain(name);
  });

  test('is intact for the verifier, which names the file that is on its way', async () => {
    for (const query of [ofStop, ofRoute, ofCustomer, `${ofStop}&without=names,photos`]) {
      const verification = await verify((await pack(query)).bytes);
      expect([query, verification.outcome]).toEqual([query, 'unsigned']);
      expect(found(verification, 'gaps')).toEqual(['file-missing']);
      expect(statesOf(verification)).toMatchObject({ files: 'passed', changes: 'passed', document: 'passed' });
    }
  });

  test('of a route has each stop, and of a customer the stops of these days', async () => {
    const route = jsonOf((await pack(ofRoute)).members);
    expect(route.stops.map(({ place, status }) => [place.stop_id, status])).toEqual([
      [1, 'D'],
      [2, 'R'],
    ]);
    const { name, members } = await pack(ofCustomer);
    expect(name).toBe('evidence_F01_C1_20261101_20261130.zip');
    expect(jsonOf(members).stops.map(({ place }) => place.week_end)).toEqual(['20261121', '20261128']);
    const [contents] = readPdf(members.get('evidence.pdf') ?? Buffer.alloc(0)).pages;
    expect(contents).toContain('2 stops, in this order.');
  });

  test('has equal bytes for an equal record', async () => {
    const [one, two] = [await pack(ofStop), await pack(ofStop)];
    expect(one.bytes.equals(two.bytes)).toBe(true);
  });

  test('leaves out names and photos on request, and keeps their hashes', async () => {
    const { name, members } = await pack(`${ofStop}&without=names,photos`);
    expect(name).toBe('evidence_F01_R100_20261121_1_without-names_without-photos.zip');
    expect([...members.keys()].some((member) => member.startsWith('files/'))).toBe(false);
    for (const bytes of members.values())
      expect(/Sam Storekeeper|side door|Driver 1001/.test(bytes.toString('utf8'))).toBe(false);
    const [stop] = jsonOf(members).stops;
    expect(stop?.facts).toMatchObject([{ body: null }]);
    expect(stop?.facts[0]?.hash).toMatch(/^[0-9a-f]{64}$/);
    expect(stop?.files[1]).toMatchObject({ member: null, sha256: digest(photo) });
  });

  test('is an act of its author, and no part of the evidence', async () => {
    await (await ask(ofStop)).body?.cancel();
    const acts = await server.client.take(listActs, { headers: mary, query: '?subject_kind=evidence' });
    expect(acts[0]).toMatchObject({ by: 'MARYB', act: 'makeEvidence', subject: 'F01_R100_20261121_1', stop_id: 1 });
    const known = acts.length;
    expect((await ask(ofStop, { method: 'HEAD' })).status).toBe(200);
    expect(await server.client.take(listActs, { headers: mary, query: '?subject_kind=evidence' })).toHaveLength(known);
    expect(await refused(ofStop, machine)).toEqual({ status: 400, code: 'VALIDATION_FAILED', fields: ['by'] });
    const answer = await ask(`${ofStop}&by=ARCHIVE`, { headers: machine });
    expect(answer.headers.get('cache-control')).toBe('private, no-store');
    await answer.body?.cancel();
    const [latest] = await server.client.take(listActs, { headers: mary, query: '?subject_kind=evidence' });
    expect(latest?.by).toBe('machine:ARCHIVE');
  });

  test('names the field of a scope that is none', async () => {
    const fields = async (query: string) => (await refused(query)).fields;
    expect(await fields('?facility=F01')).toEqual(['route_id']);
    expect(await fields('?facility=F01&route_id=R100')).toEqual(['week_end']);
    expect(await fields(`${ofRoute}&customer=C1&from=20261101&until=20261130`)).toEqual(['customer']);
    expect(await fields('?facility=F01&customer=C1&from=20261101')).toEqual(['until']);
    expect(await fields('?facility=F01&customer=C1&from=20261130&until=20261101')).toEqual(['until']);
    expect(await fields('?facility=F01&customer=C1&from=20261101&until=tomorrow')).toEqual(['until']);
    expect(await fields(`${ofStop}&without=names,faces`)).toEqual(['without.1']);
    expect((await refused('?facility=F01&route_id=R9&week_end=20261121')).code).toBe('ROUTE_NOT_FOUND');
    expect((await refused(`${ofRoute}&stop_id=9`)).code).toBe('STOP_NOT_FOUND');
    expect((await refused('?facility=F01&customer=C9&from=20261101&until=20261130')).code).toBe('STOP_NOT_FOUND');
  });

  test('names bytes that are not those of the receipt, in place of the file', async () => {
    const { pool } = server.database;
    const chunk = 'select content from asset where id = $1';
    await pool.query(`update asset_chunk set data = '\\x00' where content = (${chunk})`, [signature]);
    const altered = jsonOf((await pack(ofStop)).members).stops[0];
    expect(altered?.files[0]).toMatchObject({ member: null, why: 'A part of its bytes is no longer stored.' });
    await pool.query(`update asset_chunk set data = 'forged' where content = (${chunk})`, [signature]);
    const forged = jsonOf((await pack(ofStop)).members).stops[0];
    expect(forged?.files[0]).toMatchObject({ member: null, why: 'Its stored bytes are not those of its receipt.' });
    expect(forged?.missing.map(({ what }) => what)).toContain(
      `Signature (${signature}): Its stored bytes are not those of its receipt.`,
    );
  });

  test('a reader may look and not make one, and an author makes sixty an hour', async () => {
    const reader = await operatorHeaders(server, 'look', 'READER');
    expect((await refused(ofStop, reader)).code).toBe('ROLE_REQUIRED');
    const tom = await operatorHeaders(server, 'repair', 'TOMG');
    await server.database.pool.query(
      `insert into event_window (key, count, ends_at) values ('evidence of TOMG', 60, now() + interval '1 hour')`,
    );
    expect((await refused(ofStop, tom)).code).toBe('RATE_LIMITED');
  });
});

describe('GET /api/ops/evidence/preview', () => {
  test('says what the pack would have, and records nothing', async () => {
    const before = await server.client.take(listActs, { headers: mary, query: '?subject_kind=evidence' });
    const shown = await preview(ofRoute);
    expect(shown).toMatchObject({ name: 'evidence_F01_R100_20261121.zip', changes: 2, files: 2, left_out: 0 });
    expect(shown.bytes).toBe(photo.length + 'signed'.length);
    expect(shown.stops[1]?.missing.map(({ part }) => part)).toEqual(['position']);
    expect(shown.stops.map(({ stop_id, nothing_delivered }) => [stop_id, nothing_delivered])).toEqual([
      [1, ''],
      [2, 'Nothing was delivered: the store refused the delivery.'],
    ]);
    expect((await preview(`${ofStop}&without=photos`)).left_out).toBe(2);
    expect(await server.client.take(listActs, { headers: mary, query: '?subject_kind=evidence' })).toHaveLength(
      before.length,
    );
  });
});

test('changes that are on record no more are named, in the document and by the verifier', async () => {
  await server.database.pool.query(`delete from ledger where stop_id = 2`);
  const { bytes, members } = await pack('?facility=F01&route_id=R100&week_end=20261121&stop_id=2');
  const gone = '1 changes behind this state are on record no more, and the record does not say why.';
  expect(jsonOf(members).stops[0]?.missing.map(({ what }) => what)).toContain(gone);
  const text = readPdf(members.get('evidence.pdf') ?? Buffer.alloc(0)).pages.join(' ');
  expect(text.replaceAll(/\s+/g, ' ')).toContain(`Chain of custody ${gone}`);
  expect(found(await verify(bytes), 'gaps')).toEqual(['change-gone']);
});

test('a change that retention has deleted is told from one that is gone for an unknown cause', async () => {
  const { pool } = server.database;
  const queue = randomUUID();
  const read = await pool.query<{ doc: string }>(`select doc from stop_result where stop_id = 2`);
  const result = readResult(read.rows[0]?.doc ?? '');
  const [stamp] = result.by ?? [];
  const by = [1, 2, 3].map((seq) => ({ ...stamp, client: queue, seq }));
  await pool.query(`update stop_result set doc = $1 where stop_id = 2`, [JSON.stringify({ ...result, by })]);
  await pool.query(`insert into expired_item (client_id, seqs) values ($1, '{[1,3)}')`, [queue]);
  const { missing } = (await preview('?facility=F01&route_id=R100&week_end=20261121&stop_id=2')).stops[0] ?? {};
  expect(missing?.filter(({ part }) => part === 'record').map(({ what }) => what)).toEqual([
    '2 changes behind this state are on record no more: retention deleted them.',
    '1 changes behind this state are on record no more, and the record does not say why.',
  ]);
});
