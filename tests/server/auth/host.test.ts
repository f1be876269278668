import { describe, expect, test } from 'vitest';
import type { HostUser } from '../../../server/src/auth/host.ts';
import { signInRow, userRow } from '../../../server/src/auth/host.ts';
import { hostMoment } from '../../../server/src/host/files/local-time.ts';

const moment = (instant: Date) => hostMoment(instant, 'America/Chicago');
const user: HostUser = {
  employee: '1001',
  registeredAt: new Date('2026-11-21T03:00:00Z'),
  unregisteredAt: null,
  lastSeenAt: new Date('2026-11-21T16:04:05Z'),
  active: true,
  moment,
};

describe('the row of PODUSRP', () => {
  test('a registered driver, on the clock of the facility', () => {
    expect(userRow(user)).toEqual({
      PUEMP: '1001',
      PUREGF: 'Y',
      PURGDT: '20261120',
      PULSDT: '20261121',
      PULSTM: '100405',
      PULCKF: 'N',
    });
  });

  test('a driver whom an operator has unregistered', () => {
    expect(userRow({ ...user, unregisteredAt: new Date() })).toMatchObject({ PUREGF: 'N', PULCKF: 'N' });
  });

  test.each([false, null])('a driver who can no longer sign in: the master has %s', (active) => {
    expect(userRow({ ...user, active })).toMatchObject({ PUREGF: 'Y', PULCKF: 'Y' });
  });

  test('a driver registered before the last use was recorded', () => {
    expect(userRow({ ...user, lastSeenAt: null })).toMatchObject({ PULSDT: '0', PULSTM: '0' });
  });
});

describe('the service’s columns of RTDRVP', () => {
  test.each([
    [true, 'Y'],
    [false, 'N'],
  ])('signed in: %s', (signedIn, flag) => {
    const key = { facility: 'F01', id: 'R100', week_end: '20261121' };
    expect(
      signInRow({ key, employee: '1001', signedIn, signedInAt: new Date('2026-11-21T16:04:05Z'), moment }),
    ).toEqual({
      RDFAC: 'F01',
      RDRTE: 'R100',
      RDWKE: '20261121',
      RDEMP: '1001',
      RDSGNF: flag,
      RDSGDT: '20261121',
      RDSGTM: '100405',
    });
  });
});
