import { describe, expect, test } from 'vitest';
import { HashingBusyError, openPasswords } from '../../../server/src/auth/passwords.ts';

describe('contract §2: passwords', () => {
  test('are argon2id with 19 MiB and two passes, and fit only themselves', async () => {
    const passwords = await openPasswords();
    const stored = await passwords.hash('on the road');
    expect(stored).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect(await passwords.matches(stored, 'on the road')).toBe(true);
    expect(await passwords.matches(stored, 'on the roaD')).toBe(false);
    expect(await passwords.matches(undefined, 'on the road')).toBe(false);
  });

  test('fit with any composition of an accent', async () => {
    const passwords = await openPasswords();
    const stored = await passwords.hash('caf\u00e9 au lait');
    expect(await passwords.matches(stored, 'cafe\u0301 au lait')).toBe(true);
  });

  test('hashes one at a time, lets twenty wait, refuses more, and then recovers', async () => {
    const passwords = await openPasswords();
    const outcomes = await Promise.allSettled(Array.from({ length: 30 }, () => passwords.hash('on the road')));
    const refused = outcomes.filter((outcome) => outcome.status === 'rejected');
    expect(outcomes.length - refused.length).toBe(21);
    for (const { reason } of refused) expect(reason).toBeInstanceOf(HashingBusyError);
    expect(await passwords.hash('on the road')).toContain('$argon2id$');
  });

  test('a failed one does not stop those behind it', async () => {
    const passwords = await openPasswords();
    const [broken, next] = await Promise.allSettled([passwords.matches('no hash', 'x'), passwords.hash('on the road')]);
    expect(broken.status).toBe('rejected');
    expect(next.status).toBe('fulfilled');
  });
});
