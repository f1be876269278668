import { codesScope } from '@tailgate/sync-protocol';
import { codeFromHost } from '../../codes/host.ts';
import { withTransaction } from '../../db/transaction.ts';
import type { Db } from '../../db/types.ts';
import { isZone } from '../../runtime/zone-clock.ts';
import type { Host } from '../../host/host.ts';
import type { HostFileName } from '../../host/files/tables.ts';
import { driversWithoutMaster, notify } from './import-sql.ts';
import { raiseHeadersOf } from './mirror-route.ts';
import * as sql from './masters-sql.ts';
import { readUsableFile } from './usable-rows.ts';

// The import reads a small master file whole when one of its rows has changed.

/** Facilities of one of several cells; undefined: all. */
type Served = { has: (facility: string) => boolean } | undefined;

/** @param served facilities of this cell; undefined: all @returns whether anything has changed */
async function importFacilities(db: Db, host: Host, served?: Served): Promise<boolean> {
  const isServed = (id: string) => id !== '' && (served?.has(id) ?? true);
  const rows = (await readUsableFile(db, host, 'FACMSTP')).filter(({ FAFAC }) => isServed(FAFAC));
  const facilities = rows.map(({ FAFAC: id, FANAM: name, FATZ: hostZone }) => {
    return { id, name, zone: isZone(hostZone) ? hostZone : '', hostZone };
  });
  const { rowCount } = await db.query(sql.saveFacilities, sql.saveFacilities.parameters(facilities));
  return Boolean(rowCount);
}

/**
 * The headers of routes show the names of their drivers: they rise in the transaction that saves a name, so that no stop
 * and no failure in between keeps the former one on the phones.
 * @param served facilities of this cell: their employees, and the drivers of its routes; undefined: all @returns whether
 * anything has changed
 */
async function importEmployees(db: Db, host: Host, served?: Served): Promise<boolean> {
  const drivers = served && (await db.query<{ employee: string }>(sql.listDriversOfRoutes)).rows;
  const needed = drivers && new Set(drivers.map(({ employee }) => employee));
  const isNeeded = (id: string, facility: string) =>
    id !== '' && (needed === undefined || needed.has(id) || served?.has(facility) === true);
  const rows = (await readUsableFile(db, host, 'EMPMSTP')).filter(({ EMEMP, EMFAC }) => isNeeded(EMEMP, EMFAC));
  const employees = rows.map(({ EMEMP: id, EMNAM: name, EMPHN: phone, EMSTS, EMFAC: facility, EMJOB: job }) => {
    return { id, name, phone, active: EMSTS === 'A', facility, job };
  });
  return withTransaction(db, async (tx) => {
    await tx.query(sql.markChangedUsers, sql.markChangedUsers.parameters(employees));
    const deactivated = await tx.query(sql.deactivateEmployees, [employees.map(({ id }) => id)]);
    const saved = await tx.query<{ id: string; is_renamed: boolean }>(
      sql.saveEmployees,
      sql.saveEmployees.parameters(employees),
    );
    const renamed = saved.rows.filter(({ is_renamed }) => is_renamed).map(({ id }) => id);
    if (renamed.length > 0) await raiseHeadersOf(tx, renamed);
    return Boolean(deactivated.rowCount) || saved.rows.length > 0;
  });
}

/**
 * Phones receive the code lists as one scope: any change raises its version once. @returns whether anything has changed
 */
export async function importCodes(db: Db, host: Host): Promise<boolean> {
  const codes = (await readUsableFile(db, host, 'CTLCDP')).flatMap((row) => codeFromHost(row) ?? []);
  return withTransaction(db, async (tx) => {
    const saved = await tx.query(sql.saveCodes, sql.saveCodes.parameters(codes));
    const dropped = await tx.query(sql.deleteOtherCodes, sql.deleteOtherCodes.parameters(codes));
    if ((saved.rowCount ?? 0) + (dropped.rowCount ?? 0) === 0) return false;
    await tx.query(sql.incrementScope, [codesScope]);
    await tx.query(notify, [codesScope]);
    return true;
  });
}

/**
 * Compares the master files, and takes in what differs. Files with doorbell lines are left to the import.
 * @param reported the files with doorbell lines, as of now @param served facilities of this cell; undefined: all
 * @returns the files that differ without a line
 */
async function compareMasters(
  db: Db,
  host: Host,
  reported: () => Promise<ReadonlySet<HostFileName>>,
  served?: Served,
): Promise<HostFileName[]> {
  const left = await reported();
  const files: HostFileName[] = [];
  if (!left.has('FACMSTP') && (await importFacilities(db, host, served))) files.push('FACMSTP');
  if (!left.has('CTLCDP') && (await importCodes(db, host))) files.push('CTLCDP');
  if (!left.has('EMPMSTP') && (await importEmployees(db, host, served))) files.push('EMPMSTP');
  // Read afterwards, so that it includes every change that a trigger has reported.
  const since = files.length > 0 ? await reported() : left;
  return files.filter((file) => !since.has(file));
}

/** The master files of a cell. */
export class Masters {
  readonly #options: MastersOptions;
  /** Drivers without a row in the master file, whom it has been asked for. */
  readonly #strangers = new Set<string>();

  constructor(options: MastersOptions) {
    this.#options = options;
  }

  async take(isDue: (file: HostFileName) => boolean): Promise<void> {
    const { db, host, facilities } = this.#options;
    if (isDue('FACMSTP')) await importFacilities(db, host, facilities);
    if (isDue('CTLCDP')) await importCodes(db, host);
    if (isDue('EMPMSTP')) await importEmployees(db, host, facilities);
  }

  compare(reported: () => Promise<ReadonlySet<HostFileName>>) {
    const { db, host, facilities } = this.#options;
    return compareMasters(db, host, reported, facilities);
  }

  /** Takes drivers of other facilities that have got a route of this cell. */
  async takeStrangers(): Promise<void> {
    const { db, host, facilities } = this.#options;
    if (facilities === undefined) return;
    const { rows } = await db.query<{ employee: string }>(driversWithoutMaster);
    const found = rows.map(({ employee }) => employee).filter((employee) => !this.#strangers.has(employee));
    if (found.length === 0) return;
    await importEmployees(db, host, facilities);
    for (const employee of found) this.#strangers.add(employee);
  }
}

interface MastersOptions {
  readonly db: Db;
  readonly host: Host;
  /** FACILITIES */
  readonly facilities?: Served;
}
