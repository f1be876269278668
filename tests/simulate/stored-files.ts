import { isKeptFile } from '../../client-sdk/src/uploads/file-store.ts';
import type { Depot } from './depot.ts';
import type { Driver } from './driver.ts';
import { routeOf } from './fixture.ts';

/** Every file of a phone is on the server, once and with equal bytes. Every file that a stop names is there. */
export async function wrongFiles({ db }: Depot, seed: number, drivers: readonly Driver[]): Promise<string[]> {
  const wrong: string[] = [];
  const phones = [...new Set(drivers.map(({ phone }) => phone))];
  const storedFiles = (await Promise.all(phones.map(({ files }) => files.storedFiles(isKeptFile)))).flat();
  const ids = storedFiles.map(({ file }) => file.id);
  for (const { history } of drivers)
    for (const { values, by } of history.taps)
      if (values.signature_id !== undefined && !ids.includes(values.signature_id))
        wrong.push(`the phone of ${by} has lost the file ${values.signature_id}`);
  const missing = await db.query<{ asset_id: string }>('select asset_id from missing_evidence where route_id = $1', [
    routeOf(seed).id,
  ]);
  for (const { asset_id } of missing.rows) wrong.push(`the file ${asset_id} is missing`);
  if (ids.length === 0) return wrong;
  const { rows } = await db.query<{ id: string; bytes: Buffer; under_way: number }>(
    `select a.id, string_agg(c.data, '' order by c.at) as bytes,
            (select count(*)::int from asset_intake i where i.asset_id = a.id) as under_way
       from asset a join asset_chunk c using (content) where a.id = any($1) group by a.id`,
    [ids],
  );
  for (const { file, bytes } of storedFiles) {
    const onServer = rows.find(({ id }) => id === file.id);
    if (file.state.at !== 'here') wrong.push(`the file ${file.id} of ${file.employee} is ${file.state.at}`);
    if (!onServer) wrong.push(`the server does not have the file ${file.id} of ${file.employee}`);
    else if (!onServer.bytes.equals(bytes)) wrong.push(`the file ${file.id} of ${file.employee} has other bytes`);
    else if (onServer.under_way > 0) wrong.push(`the file ${file.id} of ${file.employee} is here and under way`);
  }
  return wrong;
}
