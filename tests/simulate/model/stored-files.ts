import type { Evidence } from './evidence.ts';
import { routesOf } from './fixture.ts';
import { members } from './members.ts';

/** A phone's record of a file, as far as the model reads it. */
export interface StoredFile {
  readonly id: string;
  readonly employee: string;
  /** `here`: the server has it. */
  readonly at: string;
  readonly bytes: Buffer;
}

/** Every file of a phone is on the server, once and with equal bytes. Every file that a stop names is there. */
export async function wrongFiles({ db, seed, drivers }: Evidence): Promise<string[]> {
  const wrong: string[] = [];
  const storedFiles = await storedFilesOf({ drivers });
  const ids = storedFiles.map(({ id }) => id);
  for (const { history } of drivers)
    for (const { values, by } of history.taps)
      if (values.signature_id !== undefined && !ids.includes(values.signature_id))
        wrong.push(`the phone of ${by} has lost the file ${values.signature_id}`);
  const missing = await db.query<{ asset_id: string }>(
    'select asset_id from missing_evidence where route_id = any($1)',
    [routesOf(seed).map(({ id }) => id)],
  );
  for (const { asset_id } of missing.rows) wrong.push(`the file ${asset_id} is missing`);
  if (ids.length === 0) return wrong;
  const { rows } = await db.query<{ id: string; bytes: Buffer; under_way: number }>(
    `select a.id, string_agg(c.data, '' order by c.at) as bytes,
            (select count(*)::int from asset_intake i where i.asset_id = a.id) as under_way
       from asset a join asset_chunk c using (content) where a.id = any($1) group by a.id`,
    [ids],
  );
  for (const { bytes, ...file } of storedFiles) {
    const onServer = rows.find(({ id }) => id === file.id);
    if (file.at !== 'here') wrong.push(`the file ${file.id} of ${file.employee} is ${file.at}`);
    if (!onServer) wrong.push(`the server does not have the file ${file.id} of ${file.employee}`);
    else if (!onServer.bytes.equals(bytes)) wrong.push(`the file ${file.id} of ${file.employee} has other bytes`);
    else if (onServer.under_way > 0) wrong.push(`the file ${file.id} of ${file.employee} is here and under way`);
  }
  return wrong;
}

/** The files that the phones have recorded. */
export async function storedFilesOf({ drivers }: Pick<Evidence, 'drivers'>): Promise<StoredFile[]> {
  const phones = [...new Set(drivers.map(({ phone }) => phone))];
  return (await Promise.all(phones.map(({ files }) => files.rows()))).flat().map(fileIn);
}

/** Whether the server has a file, by its record on the phone. */
export const isFileHere = (value: unknown): boolean => fileIn({ value, bytes: Buffer.alloc(0) }).at === 'here';

function fileIn({ value, bytes }: { readonly value: unknown; readonly bytes: Buffer }): StoredFile {
  const { id, employee, state } = members(value, 'the record of a file');
  const { at } = members(state, 'the state of a file');
  if (typeof id !== 'string' || typeof employee !== 'string' || typeof at !== 'string')
    throw new Error('a record of a file looks different from what this model knows');
  return { id, employee, at, bytes };
}
