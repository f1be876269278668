import { X509Certificate } from 'node:crypto';
import { readFile, statfs } from 'node:fs/promises';
import { isIP } from 'node:net';
import { connect } from 'node:tls';
import { listBackups } from '../backup/backups.ts';
import { sqlStateOf } from '../db/sqlstate.ts';
import type { Queryable } from '../db/types.ts';
import type { Reading } from '../host/doctor/facts.ts';
import type { CertificateFact, DiskFact, DrillFact, MachineFacts } from './machine-facts.ts';
import { newestDrills } from './machine-sql.ts';

export interface MachinePlaces {
  readonly disks: readonly string[];
  /** PEM files, and `https://…` addresses. */
  readonly certificates: readonly string[];
  readonly backupDir: string | undefined;
}

/** Asks this machine, its certificates and the database. A question without an answer leaves one fact open. */
export async function readMachine(places: MachinePlaces, db: Queryable): Promise<MachineFacts> {
  const { disks, certificates, backupDir } = places;
  return {
    disks: await readEach(disks, readDisk),
    certificates: await readEach(certificates, readCertificate),
    backup:
      backupDir === undefined ? undefined : { folder: backupDir, newest: await reading(() => newestIn(backupDir)) },
    drills: await reading(() => readDrills(db)),
  };
}

async function readEach<Fact>(
  places: readonly string[],
  read: (place: string) => Promise<Fact>,
): Promise<ReadonlyMap<string, Reading<Fact>>> {
  const facts = await Promise.all(places.map((place) => reading(() => read(place))));
  return new Map(places.flatMap((place, index) => (facts[index] ? [[place, facts[index]]] : [])));
}

async function reading<Value>(ask: () => Promise<Value>): Promise<Reading<Value>> {
  try {
    return { ok: true, value: await ask() };
  } catch (error) {
    return { ok: false, why: wordsOf(error) };
  }
}

/** On a new machine, a folder or the tables may not be there yet. */
function wordsOf(error: unknown): string {
  if (sqlStateOf(error) === '42P01') return 'the database has no tables yet; the first start makes them';
  if (isMissing(error)) return 'it does not exist (yet)';
  return error instanceof Error ? error.message : String(error);
}

const isMissing = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'ENOENT';

async function readDisk(folder: string): Promise<DiskFact> {
  const { bsize, blocks, bavail } = await statfs(folder);
  return { freeBytes: bavail * bsize, bytes: blocks * bsize };
}

async function readCertificate(place: string): Promise<CertificateFact> {
  const certificate = place.startsWith('https:') ? await shownAt(place) : new X509Certificate(await readFile(place));
  return { subject: certificate.subject.replaceAll('\n', ', '), validTo: new Date(certificate.validTo) };
}

const CONNECT_MS = 5_000;

/** The certificate as a phone sees it; whether it is trusted does not matter here: its end does. */
function shownAt(address: string): Promise<X509Certificate> {
  const { hostname, port } = new URL(address);
  return new Promise((resolve, reject) => {
    const socket = connect({
      host: hostname,
      port: port === '' ? 443 : Number(port),
      // A name chooses among the certificates of an address (RFC 6066); an address names none.
      ...(isIP(hostname) === 0 && { servername: hostname }),
      rejectUnauthorized: false,
      timeout: CONNECT_MS,
    });
    socket.once('secureConnect', () => {
      const certificate = socket.getPeerX509Certificate();
      socket.destroy();
      if (certificate) resolve(certificate);
      else reject(new Error('no certificate'));
    });
    socket.once('timeout', () => socket.destroy(new Error(`no answer within ${CONNECT_MS / 1_000} s`)));
    socket.once('error', reject);
  });
}

/** When the newest base backup was complete: of this service or of `pg_basebackup`. */
async function newestIn(folder: string): Promise<Date | undefined> {
  const [newest] = await listBackups(folder);
  return newest?.madeAt;
}

async function readDrills(db: Queryable): Promise<DrillFact> {
  const { rows } = await db.query<{ last_at: Date | null; last_ok: boolean | null; good_at: Date | null }>(
    newestDrills,
  );
  const [row] = rows;
  return { lastAt: row?.last_at ?? undefined, lastOk: row?.last_ok ?? false, goodAt: row?.good_at ?? undefined };
}
