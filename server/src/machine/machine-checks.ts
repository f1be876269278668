import type { Finding } from '../host/doctor/examine.ts';
import type { Reading } from '../host/doctor/facts.ts';
import { attention, go, noGo, unknown, type Verdict } from '../host/doctor/verdict.ts';
import type { CertificateFact, DiskFact, DrillFact, MachineFacts } from './machine-facts.ts';

/** A share of the disk and bytes: below both it is short. */
const DISK = { short: { share: 0.2, bytes: 20e9 }, full: { share: 0.05, bytes: 2e9 } };
const CERTIFICATE_DAYS = { soon: 21, late: 3 };
const BACKUP_HOURS = { late: 26, old: 72 };
/** A drill each month, a week late at most. */
const DRILL_DAYS = { late: 38, old: 100 };

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** The doctor's lines about this machine. They judge the facts alone. */
export function judgeMachine({ disks, certificates, backup, drills }: MachineFacts, now: Date): Finding[] {
  return [
    ...[...disks].map(([folder, fact]) => ({ check: 'disk', ...judged(fact, folder, (disk) => ofDisk(folder, disk)) })),
    ...[...certificates].map(([place, fact]) => ({
      check: 'certificate',
      ...judged(fact, place, (certificate) => ofCertificate(place, certificate, now)),
    })),
    { check: 'backup', ...ofBackup(backup, now) },
    { check: 'restore-drill', ...judged(drills, 'the drills', (drill) => ofDrills(drill, now)) },
  ];
}

function judged<Value>(reading: Reading<Value>, what: string, judge: (value: Value) => Verdict): Verdict {
  return reading.ok
    ? judge(reading.value)
    : unknown(`${what} cannot be read: ${reading.why}`, 'check it from this machine');
}

function ofDisk(folder: string, { freeBytes, bytes }: DiskFact): Verdict {
  const share = bytes === 0 ? 1 : freeBytes / bytes;
  const says = `${folder}: ${gigabytes(freeBytes)} of ${gigabytes(bytes)} free`;
  const isBelow = (limit: { share: number; bytes: number }) => share < limit.share && freeBytes < limit.bytes;
  if (isBelow(DISK.full)) return noGo(says, 'free or add space now: PostgreSQL stops on a full disk');
  if (isBelow(DISK.short))
    return attention(says, 'add space, or delete old data (RETAIN_…_DAYS, ops -- backup --keep)');
  return go(says);
}

function ofCertificate(place: string, { subject, validTo }: CertificateFact, now: Date): Verdict {
  const days = Math.floor((validTo.getTime() - now.getTime()) / DAY_MS);
  const says = `${place} (${subject}): ${days < 0 ? 'ended' : 'ends'} ${validTo.toISOString().slice(0, 10)}`;
  const todo = 'renew the certificate: without it phones cannot connect';
  if (days < CERTIFICATE_DAYS.late) return noGo(says, todo);
  return days < CERTIFICATE_DAYS.soon ? attention(says, todo) : go(says);
}

function ofBackup(backup: MachineFacts['backup'], now: Date): Verdict {
  if (!backup)
    return attention('BACKUP_DIR names no folder of backups', 'set it, and make backups (docs/plain-machine.md)');
  const { folder, newest } = backup;
  const todo = 'look at the timer of the backups: systemctl status tailgate-backup';
  return judged(newest, folder, (at) => {
    if (!at) return noGo(`${folder} has no backup`, todo);
    const hours = Math.floor((now.getTime() - at.getTime()) / HOUR_MS);
    const says = `the newest backup is ${hours} h old`;
    if (hours >= BACKUP_HOURS.old) return noGo(says, todo);
    return hours >= BACKUP_HOURS.late ? attention(says, todo) : go(says);
  });
}

function ofDrills({ lastAt, lastOk, goodAt }: DrillFact, now: Date): Verdict {
  const todo = 'npm run ops -- restore-drill';
  if (!lastAt) return attention('no backup has been restored on trial', todo);
  const last = lastAt.toISOString().slice(0, 10);
  if (!lastOk) return noGo(`the restore drill of ${last} failed`, `correct what it names, and repeat it: ${todo}`);
  const days = Math.floor((now.getTime() - (goodAt ?? lastAt).getTime()) / DAY_MS);
  const says = `a backup was restored on trial on ${last}`;
  if (days >= DRILL_DAYS.old) return noGo(says, todo);
  return days >= DRILL_DAYS.late ? attention(says, todo) : go(says);
}

const gigabytes = (bytes: number): string => `${(bytes / 1e9).toFixed(1)} GB`;
