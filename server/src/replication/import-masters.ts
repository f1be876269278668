import { codesScope } from '@tailgate/sync-protocol';
import { codeFromHost } from '../codes/host.ts';
import { withTransaction } from '../db/transaction.ts';
import type { Db } from '../db/types.ts';
import type { Host } from './host/host.ts';
import { readFile } from './host/reads.ts';
import * as sql from './import-sql.ts';

// The small master files are read whole whenever one of their rows has changed.

export async function importFacilities(db: Db, host: Host): Promise<void> {
  const rows = (await readFile(host, 'FACMSTP')).filter(({ FAFAC }) => FAFAC !== '');
  await db.query(sql.saveFacilities, [
    rows.map(({ FAFAC }) => FAFAC),
    rows.map(({ FANAM }) => FANAM),
    rows.map(({ FATZ }) => FATZ),
  ]);
}

/** @returns employees whose name is new */
export async function importEmployees(db: Db, host: Host): Promise<string[]> {
  const rows = (await readFile(host, 'EMPMSTP')).filter(({ EMEMP }) => EMEMP !== '');
  const ids = rows.map(({ EMEMP }) => EMEMP);
  const active = rows.map(({ EMSTS }) => EMSTS === 'A');
  const renamed = await withTransaction(db, async (tx) => {
    await tx.query(sql.touchUsers, [ids, active]);
    await tx.query(sql.retireEmployees, [ids]);
    return tx.query<{ id: string }>(sql.saveEmployees, [
      ids,
      rows.map(({ EMNAM }) => EMNAM),
      rows.map(({ EMPHN }) => EMPHN),
      active,
      rows.map(({ EMFAC }) => EMFAC),
      rows.map(({ EMJOB }) => EMJOB),
    ]);
  });
  return renamed.rows.map(({ id }) => id);
}

/** Phones follow the code lists as one scope: whatever changed in them raises its version once. */
export async function importCodes(db: Db, host: Host): Promise<void> {
  const codes = (await readFile(host, 'CTLCDP')).flatMap((row) => codeFromHost(row) ?? []);
  await withTransaction(db, async (tx) => {
    const types = codes.map(({ type }) => type);
    const names = codes.map(({ code }) => code);
    const saved = await tx.query(sql.saveCodes, [
      types,
      names,
      codes.map(({ description }) => description),
      codes.map(({ category }) => category),
      codes.map(({ driver_visible }) => driver_visible),
      codes.map(({ stop_type }) => stop_type),
      codes.map(({ requires_photo }) => requires_photo),
      codes.map(({ requires_comment }) => requires_comment),
      codes.map(({ sort }) => sort),
      codes.map(({ active }) => active),
    ]);
    const dropped = await tx.query(sql.dropCodes, [types, names]);
    if ((saved.rowCount ?? 0) + (dropped.rowCount ?? 0) === 0) return;
    await tx.query(sql.raiseScope, [codesScope]);
    await tx.query(sql.notify, [codesScope]);
  });
}
