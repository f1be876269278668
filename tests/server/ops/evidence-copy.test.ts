import { createHash, verify, X509Certificate } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { openSealKey, type SealKey } from '../../../server/src/ops/evidence/certificate/seal-key.ts';
import { openKeys } from '../../../server/src/tlog/keys.ts';
import { NewestCheckpoints } from '../../../server/src/tlog/newest-checkpoints.ts';
import { Sequencer } from '../../../server/src/tlog/sequencer.ts';
import { placedMessage } from '../../../server/verify/src/certificate-check.ts';
import { signedBytes } from '../../../server/verify/src/cms/signature.ts';
import { signatureOf } from '../../../server/verify/src/document/document-signature.ts';
import { nodeTools } from '../../../server/verify/src/node-tools.ts';
import { insertRoutes, plan } from '../../support/mirror.ts';
import { signUp } from '../../support/people.ts';
import { restChange } from '../../support/rest-change.ts';
import { startRestServer, type RestServer } from '../../support/rest-server.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { storeFiles } from '../../support/uploads.ts';
import { readPdf } from './pdf-text.ts';

const key = { facility: 'F01', id: 'R100', week_end: '20261121' };
const ofRoute = 'facility=F01&route_id=R100&week_end=20261121';
const ofStop = (stop: number) => `${ofRoute}&stop_id=${stop}`;

type Driver = Awaited<ReturnType<typeof signUp>>;
let server: RestServer;
let certificate: SealKey;
let dana: Driver;
let other: Driver;

beforeAll(async () => {
  const dataDir = await temporaryFolder();
  const keys = await openKeys({ dataDir, logKeyFile: undefined });
  const sealKey = await openSealKey({ dataDir, sealKeyFile: undefined, host: 'pod.example.com' });
  certificate = await sealKey();
  server = await startRestServer({ logKeys: keys, sealKey });
  const { database, listener, log } = server;
  const { pool } = database;
  const stops = [plan(1), plan(2), plan(3)];
  await insertRoutes(pool, [
    { facility: 'F01', id: 'R100', weekEnd: '20261121', drivers: ['1001'], stops },
    { facility: 'F01', id: 'R200', weekEnd: '20261121', drivers: ['1002'], stops: [plan(1)] },
  ]);
  [dana, other] = [await signUp(server.client, '1001'), await signUp(server.client, '1002')];
  const file = { name: 'signed.png', bytes: Buffer.from('signed') };
  const [signature = ''] = await storeFiles(server.client, { files: [file], as: dana });
  await record(1, { status: 'D', store_emp_name: 'Sam Storekeeper', signature_id: signature });
  await record(1, { driver_comments: 'side door' });
  await record(2, { status: 'R', skip_refuse_reason_code: '12' });
  await pool.query(
    `insert into operator_act (act_id, by, act, subject_kind, subject, facility, route_id, week_end, stop_id, reason)
     values (gen_random_uuid(), 'MARYB', 'retryParked', 'parked', 'p1', 'F01', 'R100', '20261121', 1, 'store called')`,
  );
  await pool.query(`update ledger set source = 'office', employee = 'BOBCLERK' where body like '%side door%'`);
  const newest = await NewestCheckpoints.open(dataDir);
  const options = { db: pool, listener, keys, newest, host: 'pod.example.com', log, clock: () => new Date() };
  await new Sequencer(options).pass();
});

const record = (id: number, updates: object) => server.pipeline.submit(restChange(key, { id, updates }, '1001'));
const hosted = (through: number) =>
  server.database.pool.query(`update route set hosted_through = $1 where facility = 'F01' and id = 'R100'`, [through]);
const ask = (query: string, { employee_id, api_token }: Driver = dana) =>
  fetch(`${server.client.url}/api/route/stop/proof?${query}`, {
    headers: { 'employee-id': employee_id, 'api-token': api_token },
  });
const parse: (text: string) => { message: string; error: { code: string } } = JSON.parse;
async function refused(query: string, as?: Driver): Promise<unknown> {
  const answer = await ask(query, as);
  const { error } = parse(await answer.text());
  return [answer.status, error.code];
}

describe('GET /api/route/stop/proof', () => {
  test('answers once the host has the stop', async () => {
    await hosted(0);
    expect(await refused(ofStop(1))).toEqual([404, 'NOT_FOUND']);
    await hosted(99);
    const answer = await ask(ofStop(1));
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('application/pdf');
    expect(answer.headers.get('content-disposition')).toContain('proof_F01_R100_20261121_1.pdf');
    expect(answer.headers.get('cache-control')).toBe('private, no-store');
    await answer.body?.cancel();
    // Nothing is recorded of it.
    expect(await refused(ofStop(3))).toEqual([404, 'NOT_FOUND']);
  });

  test('is the copy for the customer: the state and the hashes, and nothing of the office', async () => {
    await hosted(99);
    const pdf = Buffer.from(await (await ask(ofStop(1))).arrayBuffer());
    const text = readPdf(pdf).pages.join('\n');
    const { rows } = await server.database.pool.query<{ hash: string }>(
      `select encode(hash, 'hex') as hash from ledger where stop_id = 1`,
    );
    expect(rows).toHaveLength(2);
    for (const { hash } of rows) expect(text).toContain(hash);
    expect(text).toContain('Sam Storekeeper');
    expect(text).toContain('pod.example.com/log/F01');
    expect(text).not.toMatch(/MARYB|BOBCLERK|store called|VERIFY\.txt|pack\.json/);
    expect(pdf.toString('latin1')).not.toContain('/EmbeddedFile');
    // The document is alone: no sentence takes it for a part of a pack.
    const plain = text.replaceAll(/\s+/g, ' ');
    expect(plain).toContain('before this document was made. An evidence pack with the folder log has the proofs');
    expect(plain).not.toMatch(/this pack|of the pack\b/);
    expect(plain).toContain('No outside witness had signed');
  });

  test('is signed by the certificate of the carrier, and one changed byte breaks the signature', async () => {
    await hosted(99);
    const pdf = Buffer.from(await (await ask(ofStop(1))).arrayBuffer());
    const place = signatureOf({ start: 0, bytes: pdf });
    const message = place && (await placedMessage(place.bytes, nodeTools));
    const digestOf = (bytes: Buffer) =>
      createHash('sha256')
        .update(bytes.subarray(0, place?.holeAt))
        .update(bytes.subarray(place?.holeEnd))
        .digest('hex');
    if (!message) throw new Error('the document has no signature');
    const signer = new X509Certificate(message.certificate.der);
    expect(signer.raw.equals(certificate.certificates[0] ?? Buffer.alloc(0))).toBe(true);
    expect(verify('sha256', signedBytes(message), signer.publicKey, message.signature)).toBe(true);
    expect(Buffer.from(message.digest).toString('hex')).toBe(digestOf(pdf));
    const changed = Buffer.from(pdf);
    changed[1_000] = (changed[1_000] ?? 0) ^ 1;
    expect(Buffer.from(message.digest).toString('hex')).not.toBe(digestOf(changed));
  });

  test('of a facility in shadow does not exist: the other system has the delivery on record', async () => {
    await hosted(0);
    const { pool } = server.database;
    await pool.query(`insert into facility_mode (facility, mode, since) values ('F01', 'shadow', now())`);
    expect(await refused(ofStop(1))).toEqual([404, 'RECORDED_IN_SHADOW']);
    await pool.query(`delete from facility_mode where facility = 'F01'`);
    // The facility is live later, and the host never gets what was recorded before.
    const shadowed = (through: number) => pool.query('update route set shadow_through = $1', [through]);
    await shadowed(99);
    expect(await refused(ofStop(1))).toEqual([404, 'RECORDED_IN_SHADOW']);
    expect(await refused(ofStop(3))).toEqual([404, 'NOT_FOUND']);
    await shadowed(0);
    // A stop that the host has from before keeps its proof.
    await hosted(99);
    await pool.query(`insert into facility_mode (facility, mode, since) values ('F01', 'shadow', now())`);
    const earlier = await ask(ofStop(1));
    await earlier.body?.cancel();
    await pool.query(`delete from facility_mode where facility = 'F01'`);
    expect(earlier.status).toBe(200);
  });

  test('of a refusal says that nothing was delivered', async () => {
    await hosted(99);
    const text = readPdf(Buffer.from(await (await ask(ofStop(2))).arrayBuffer())).pages.join('\n');
    expect(text).toContain('the store refused the delivery');
  });

  test('is for the drivers of the route, and names no other route to them', async () => {
    await hosted(99);
    expect(await refused(ofStop(1), other)).toEqual([403, 'NOT_ASSIGNED']);
    expect(await refused('facility=F01&route_id=R900&week_end=20261121&stop_id=1')).toEqual([403, 'NOT_ASSIGNED']);
    expect(await refused(ofStop(9))).toEqual([404, 'STOP_NOT_FOUND']);
    expect(await refused(ofRoute)).toEqual([400, 'VALIDATION_FAILED']);
    expect(await refused(ofStop(1), { ...dana, api_token: 'another' })).toEqual([401, 'INVALID_TOKEN']);
    const removal = `update route_driver set removed_at = $1 where employee = '1001'`;
    await server.database.pool.query(removal, [new Date()]);
    expect(await refused(ofStop(1))).toEqual([403, 'NOT_ASSIGNED']);
    await server.database.pool.query(removal, [null]);
  });

  test('a driver takes sixty an hour', async () => {
    await hosted(99);
    await server.database.pool.query(
      `insert into event_window (key, count, ends_at) values ('proofs of driver 1001', 60, now() + interval '1 hour')
         on conflict (key) do update set count = 60`,
    );
    expect(await refused(ofStop(1))).toEqual([429, 'RATE_LIMITED']);
  });
});
