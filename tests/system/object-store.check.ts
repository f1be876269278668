import { expect, test } from 'vitest';
import { signUp } from '../support/people.ts';
import { TestBytes } from '../support/test-bytes.ts';
import { TestStore } from '../support/object-store.ts';
import { deviceAssetId, deviceMetadata, TusPhone } from '../support/tus-phone.ts';
import { download, sendFiles, storeFiles } from '../support/uploads.ts';
import { openService } from './service.ts';

const random = new TestBytes('killed beside a store');
const salt = 'a-salt-of-this-queue';

test('a server killed with kill -9 between object and row has stored no file, and the phone sends it again', async () => {
  const bucket = await TestStore.start();
  const service = await openService({ env: { S3_URL: bucket.url } });
  const { server, database, rest } = service;
  const anna = await signUp(rest, '1001');
  const phone = new TusPhone(server.url, { ...anna });
  const bytes = random.take(400_000);
  const id = deviceAssetId(salt, bytes);
  await phone.create(bytes.length, deviceMetadata(salt, bytes));

  bucket.fault = ({ method }) => (method === 'PUT' ? 'held' : undefined);
  const lost = [phone.patch(id, 0, bytes), sendFiles(rest, { files: [{ name: 'a.bin', bytes }], as: anna })];
  const outcomes = Promise.allSettled(lost);
  await expect.poll(() => bucket.held, { timeout: 60_000, interval: 10 }).toBe(2);
  const orphans = (await bucket.keys()).filter((key) => !key.includes('/.'));
  expect(orphans).toHaveLength(2);
  await server.kill9();
  bucket.release();
  expect((await outcomes).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  bucket.fault = () => undefined;
  expect((await database.pool.query('select id from asset')).rowCount).toBe(0);

  await server.start();
  expect((await phone.head(id)).headers.get('upload-offset')).toBe('0');
  expect((await phone.patch(id, 0, bytes)).status).toBe(204);
  const [other = ''] = await storeFiles(rest, { files: [{ name: 'a.bin', bytes }], as: anna });
  for (const stored of [id, other])
    expect((await download(rest, stored, { headers: { ...anna } })).bytes.equals(bytes)).toBe(true);

  // The host's chunks are read from the store; R means that all of them are there.
  const states = async () => (await service.show('ASSHDP')).map((row) => String(row['AHSTS']).trim());
  await expect.poll(states, { timeout: 60_000 }).toEqual(['R', 'R']);
});
