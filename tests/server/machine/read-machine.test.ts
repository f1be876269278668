import { once } from 'node:events';
import { mkdir, utimes, writeFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readMachine } from '../../../server/src/machine/read-machine.ts';
import { certificate, certificateKey } from '../../support/certificate.ts';
import { atFileEnd } from '../../support/file-end.ts';
import { createDatabase } from '../../support/postgres.ts';
import { reservePort } from '../../support/reserved-port.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const subject = 'CN=pod.example.com';
const madeAt = new Date('2026-11-27T02:30:00Z');

test('the machine tells its disks, its certificates in files and at addresses, its newest backup and its drills', async () => {
  const { pool } = await createDatabase();
  const folder = await temporaryFolder();
  const pem = join(folder, 'fullchain.pem');
  await writeFile(pem, certificate);
  const server = createServer({ key: certificateKey, cert: certificate }).listen(await reservePort(), '127.0.0.1');
  atFileEnd(async () => void server.close());
  await once(server, 'listening');
  const address = server.address();
  const url = `https://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  await backupAt(join(folder, 'tailgate-20261126T023000Z'), new Date('2026-11-26T02:30:00Z'));
  await backupAt(join(folder, 'tailgate-20261127T023000Z'), madeAt);
  // It lacks its manifest: it is not complete.
  await mkdir(join(folder, 'tailgate-20261127T120000Z.partial'));

  const places = { disks: [folder], certificates: [pem, url], backupDir: folder };
  const { disks, certificates, backup, drills } = await readMachine(places, pool);
  const disk = disks.get(folder);
  expect(disk?.ok && disk.value.bytes).toBeGreaterThan(0);
  for (const place of [pem, url]) expect(certificates.get(place)).toMatchObject({ ok: true, value: { subject } });
  expect(backup).toEqual({ folder, newest: { ok: true, value: madeAt } });
  expect(drills).toEqual({ ok: true, value: { lastAt: undefined, lastOk: false, goodAt: undefined } });

  await pool.query(
    `insert into restore_drill (drill_id, at, backup, ok, seconds, findings)
     values (gen_random_uuid(), '2026-10-01Z', 'a', true, 1, '[]'), (gen_random_uuid(), '2026-11-01Z', 'b', false, 1, '[]')`,
  );
  expect((await readMachine(places, pool)).drills).toEqual({
    ok: true,
    value: { lastAt: new Date('2026-11-01Z'), lastOk: false, goodAt: new Date('2026-10-01Z') },
  });
});

test('a place without an answer leaves its fact open, and the others are read', async () => {
  const { pool } = await createDatabase();
  const nowhere = join(await temporaryFolder(), 'nowhere');
  const closed = `https://127.0.0.1:${await reservePort()}`;
  const facts = await readMachine({ disks: [nowhere], certificates: [nowhere, closed], backupDir: nowhere }, pool);
  const opens = [
    facts.disks.get(nowhere),
    facts.certificates.get(nowhere),
    facts.certificates.get(closed),
    facts.backup?.newest,
  ];
  for (const open of opens) expect(open).toMatchObject({ ok: false });
  expect(facts.disks.get(nowhere)).toMatchObject({ why: 'it does not exist (yet)' });
  expect(facts.drills).toMatchObject({ ok: true });
});

test('a database before the first start says so in words', async () => {
  const { pool } = await createDatabase({ empty: true });
  expect((await readMachine({ disks: [], certificates: [], backupDir: undefined }, pool)).drills).toEqual({
    ok: false,
    why: 'the database has no tables yet; the first start makes them',
  });
});

async function backupAt(folder: string, at: Date): Promise<void> {
  await mkdir(folder);
  for (const name of ['base.tar.gz', 'backup_manifest']) await writeFile(join(folder, name), '');
  await utimes(join(folder, 'backup_manifest'), at, at);
}
