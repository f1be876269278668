import { mkdir, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { dropUnfinished } from '../../server/src/backup/backups.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

test('a backup deletes the remains of interrupted ones, and none that runs beside it', async () => {
  const folder = await temporaryFolder();
  const [now, before] = [new Date('2026-11-27T02:30:00Z'), new Date('2026-11-27T01:30:00Z')];
  const place = async (name: string, written: Date, file?: Date) => {
    await mkdir(join(folder, name));
    if (file) {
      await writeFile(join(folder, name, 'base.tar.gz'), 'bytes');
      await utimes(join(folder, name, 'base.tar.gz'), file, file);
    }
    await utimes(join(folder, name), written, written);
  };
  const justNow = new Date(now.getTime() - 1_000);
  await place('tailgate-20261126T023000Z.partial', before, before);
  await place('tailgate-20261126T033000Z.partial', before);
  await place('tailgate-20261127T013000Z.partial', before, justNow);
  await place('tailgate-20261127T022959Z.partial', justNow);
  await place('others.partial', before);
  await place('tailgate-20261125T023000Z', before, before);
  expect((await dropUnfinished(folder, now)).toSorted()).toEqual([
    'tailgate-20261126T023000Z.partial',
    'tailgate-20261126T033000Z.partial',
  ]);
  expect((await readdir(folder)).toSorted()).toEqual([
    'others.partial',
    'tailgate-20261125T023000Z',
    'tailgate-20261127T013000Z.partial',
    'tailgate-20261127T022959Z.partial',
  ]);
});

test('backups of two databases with one folder delete the same remains', async () => {
  const folder = await temporaryFolder();
  const before = new Date('2026-11-27T01:30:00Z');
  const remains = Array.from({ length: 100 }, (_, n) => join(folder, `tailgate-20261126T02${1000 + n}Z.partial`));
  for (const place of remains) {
    await mkdir(place);
    await utimes(place, before, before);
  }
  const others = async () => {
    for (const place of remains.toReversed()) await rm(place, { recursive: true, force: true });
  };
  await Promise.all([dropUnfinished(folder, new Date('2026-11-27T02:30:00Z')), others()]);
  expect(await readdir(folder)).toEqual([]);
});
