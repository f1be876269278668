import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { mailLinks } from '../../../server/src/mail/contents.ts';
import { fileReader } from '../../../server/src/assets/file-bytes.ts';
import { encloseAll, findPictures } from '../../../server/src/mail/pictures.ts';
import type { TestDatabase } from '../../support/postgres.ts';
import { createDatabase } from '../../support/postgres.ts';
import { asset } from './summarized.ts';

const MiB = 1024 * 1024;
let database: TestDatabase;

beforeAll(async () => {
  database = await createDatabase();
});

interface File {
  readonly id: string;
  readonly batch?: string;
  readonly seq?: number;
  readonly mime?: string;
  readonly size?: number;
  /** Named by a stop, not here yet. */
  readonly awaited?: boolean;
}

/** The mirror's data about files; their bytes are not read here. */
async function addFiles(...files: readonly File[]): Promise<void> {
  for (const { id, batch = id, seq = 1, mime = 'image/jpeg', size = 1000, awaited = false } of files)
    await database.pool.query(
      awaited
        ? `insert into asset (id, batch, state, expected_at) values ($1, $2, 'L', now())`
        : `insert into asset (id, batch, seq, state, content, mime, size, sha256, received_at)
           values ($1, $2, $3, 'R', $4, $5, $6, '', now())`,
      awaited ? [id, batch] : [id, batch, seq, randomUUID(), mime, size],
    );
}

/** The files of a summary for each id, or `kept` or `pending`. */
async function seenOf(...ids: readonly string[]): Promise<string[][]> {
  const { picturesOf } = await findPictures(database.pool, ids);
  const of = picturesOf(
    ({ id }) => id,
    () => undefined,
  );
  return ids.map((id) => of(id).map((picture) => (picture.kind === 'shown' ? picture.src : picture.kind)));
}

describe('the pictures of a summary', () => {
  it('include types that mail programs show; others stay on the server, and missing ones are pending', async () => {
    const [jpg, webp, svg, heic, pdf, empty, awaited, unknown] = [10, 11, 12, 13, 14, 15, 16, 17].map(asset);
    await addFiles(
      { id: jpg!, mime: 'image/jpg' },
      { id: webp!, mime: 'image/webp' },
      { id: svg!, mime: 'image/svg+xml' },
      { id: heic!, mime: 'image/heic' },
      { id: pdf!, mime: 'application/pdf' },
      { id: empty!, size: 0 },
      { id: awaited!, awaited: true },
    );
    expect(await seenOf(jpg!, webp!, svg!, heic!, pdf!, empty!, awaited!, unknown!)).toEqual([
      [jpg],
      [webp],
      ['stored'],
      ['stored'],
      ['stored'],
      ['stored'],
      ['pending'],
      ['pending'],
    ]);
  });

  it('are all files of an upload where its primary id is named, less those with their own names (contract §3)', async () => {
    const [first, second, third] = [20, 21, 22].map(asset);
    await addFiles(
      { id: first!, batch: first! },
      { id: second!, batch: first!, seq: 2 },
      { id: third!, batch: first!, seq: 3 },
    );
    expect(await seenOf(first!)).toEqual([[first, second, third]]);
    expect(await seenOf(second!)).toEqual([[second]]);
    expect(await seenOf(first!, third!)).toEqual([[first, second], [third]]);
  });

  it('are the first that fit into seven mebibytes', async () => {
    const [signature, large, small, tooMuch] = [30, 31, 32, 33].map(asset);
    await addFiles(
      { id: signature!, size: MiB },
      { id: large!, size: 7 * MiB },
      { id: small!, size: 6 * MiB },
      { id: tooMuch!, size: 1 },
    );
    expect(await seenOf(signature!, large!, small!, tooMuch!)).toEqual([[signature], ['stored'], [small], ['stored']]);
  });

  it('go with the mail under names of our own', async () => {
    const [one, two] = [40, 41].map(asset);
    await addFiles({ id: one!, mime: 'image/jpg' }, { id: two!, mime: 'image/png' });
    const { shown } = await findPictures(database.pool, [one!, two!]);
    expect(encloseAll(fileReader(database.pool, undefined), shown)).toMatchObject([
      { cid: `${one}@tailgate`, fileName: 'picture-1.jpg', mime: 'image/jpeg' },
      { cid: `${two}@tailgate`, fileName: 'picture-2.png', mime: 'image/png' },
    ]);
  });
});

describe('links of a mail to files', () => {
  it.each([
    ['https://pod.example', 'documented', `https://pod.example/api/v20/assets/raw/${asset(1)}`],
    [undefined, 'documented', undefined],
    ['https://pod.example', 'strict', undefined],
  ] as const)('PUBLIC_URL %s, ACCESS=%s: %s', (publicUrl, access, link) => {
    expect(mailLinks({ publicUrl, access })(asset(1))).toBe(link);
  });
});
