import { describe, expect, test } from 'vitest';
import type { Reading } from '../../../server/src/host/doctor/facts.ts';
import { judgeMachine } from '../../../server/src/machine/machine-checks.ts';
import type { CertificateFact, DiskFact, DrillFact, MachineFacts } from '../../../server/src/machine/machine-facts.ts';

const now = new Date('2026-11-27T12:00:00Z');
const ago = (days: number): Date => new Date(now.getTime() - days * 86_400_000);
const GB = 1_000_000_000;

const known = <Value>(value: Value): Reading<Value> => ({ ok: true, value });
const silent = { ok: false, why: 'EACCES: permission denied' } as const;

const fine: MachineFacts = {
  disks: new Map([['/var/lib/tailgate', known({ freeBytes: 60 * GB, bytes: 100 * GB })]]),
  certificates: new Map([['https://pod.example.com', known({ subject: 'CN=pod', validTo: ago(-60) })]]),
  backup: { folder: '/var/backups/tailgate', newest: known(ago(0.5)) },
  drills: known({ lastAt: ago(10), lastOk: true, goodAt: ago(10) }),
};

const disk = (fact: Reading<DiskFact>): MachineFacts => ({ ...fine, disks: new Map([['/data', fact]]) });
const certificate = (fact: Reading<CertificateFact>): MachineFacts => ({
  ...fine,
  certificates: new Map([['c.pem', fact]]),
});
const backup = (newest: Reading<Date | undefined>): MachineFacts => ({
  ...fine,
  backup: { folder: '/backups', newest },
});
const drills = (fact: Reading<DrillFact>): MachineFacts => ({ ...fine, drills: fact });

describe('the doctor of the machine', () => {
  test('says GO where disk, certificate, backup and restore drill are well', () => {
    expect(judgeMachine(fine, now).map(({ check, level, says }) => [check, level, says])).toEqual([
      ['disk', 'go', '/var/lib/tailgate: 60.0 GB of 100.0 GB free'],
      ['certificate', 'go', 'https://pod.example.com (CN=pod): ends 2027-01-26'],
      ['backup', 'go', 'the newest backup is 12 h old'],
      ['restore-drill', 'go', 'a backup was restored on trial on 2026-11-17'],
    ]);
  });

  test.each([
    ['a full disk', disk(known({ freeBytes: GB, bytes: 100 * GB })), 'no_go', '/data: 1.0 GB of 100.0 GB free'],
    [
      'a disk that fills up',
      disk(known({ freeBytes: 15 * GB, bytes: 100 * GB })),
      'attention',
      '/data: 15.0 GB of 100.0 GB free',
    ],
    ['a folder without access', disk(silent), 'unknown', '/data cannot be read: EACCES: permission denied'],
    [
      'an ended certificate',
      certificate(known({ subject: 'CN=pod', validTo: ago(1) })),
      'no_go',
      'c.pem (CN=pod): ended 2026-11-26',
    ],
    [
      'a certificate that ends tomorrow',
      certificate(known({ subject: 'CN=pod', validTo: ago(-1.5) })),
      'no_go',
      'c.pem (CN=pod): ends 2026-11-29',
    ],
    [
      'a certificate that ends soon',
      certificate(known({ subject: 'CN=pod', validTo: ago(-20) })),
      'attention',
      'c.pem (CN=pod): ends 2026-12-17',
    ],
    ['an address without an answer', certificate(silent), 'unknown', 'c.pem cannot be read: EACCES: permission denied'],
    ['an empty folder of backups', backup(known(undefined)), 'no_go', '/backups has no backup'],
    ['an old backup', backup(known(ago(4))), 'no_go', 'the newest backup is 96 h old'],
    ['a missed backup', backup(known(ago(1.5))), 'attention', 'the newest backup is 36 h old'],
    ['no folder of backups', { ...fine, backup: undefined }, 'attention', 'BACKUP_DIR names no folder of backups'],
    [
      'no restore drill',
      drills(known({ lastAt: undefined, lastOk: false, goodAt: undefined })),
      'attention',
      'no backup has been restored on trial',
    ],
    [
      'a failed restore drill',
      drills(known({ lastAt: ago(1), lastOk: false, goodAt: ago(20) })),
      'no_go',
      'the restore drill of 2026-11-26 failed',
    ],
    [
      'a restore drill of two months ago',
      drills(known({ lastAt: ago(60), lastOk: true, goodAt: ago(60) })),
      'attention',
      'a backup was restored on trial on 2026-09-28',
    ],
    [
      'a restore drill of last year',
      drills(known({ lastAt: ago(200), lastOk: true, goodAt: ago(200) })),
      'no_go',
      'a backup was restored on trial on 2026-05-11',
    ],
    ['a database that is away', drills(silent), 'unknown', 'the drills cannot be read: EACCES: permission denied'],
  ] as const)('%s is named', (_name, facts, level, says) => {
    const other = judgeMachine(facts, now).filter((finding) => finding.level !== 'go');
    expect(other.map((finding) => [finding.level, finding.says])).toEqual([[level, says]]);
    expect(other[0]?.todo).not.toBe('');
  });
});
