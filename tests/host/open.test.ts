import { expect, test } from 'vitest';
import { openHost } from '../../server/src/host/connection/open.ts';
import { createDatabase } from '../support/postgres.ts';
import { recordedLog } from '../support/recorded-log.ts';

const own = await createDatabase();
const elsewhere = await createDatabase({ empty: true });
const open = (legacyUrl: string | undefined, legacyLibrary = 'PODDTA') =>
  openHost({ legacyUrl, legacyLibrary }, own.url, recordedLog());

/** In which database a connection is. */
const placeOf = async (legacyUrl: string | undefined, library?: string) => {
  const host = await open(legacyUrl, library);
  const rows = await host.query('select current_database() as PLACE, count(*) as FILES from RTHDRP');
  await host.close();
  return { ...rows[0], library: host.library };
};

test('without an address the stand-in is beside the mirror, in the configured library', async () => {
  expect(await placeOf(undefined)).toEqual({ PLACE: own.name, FILES: '0', library: 'PODDTA' });
  expect(await placeOf(undefined, 'PODDEV')).toEqual({ PLACE: own.name, FILES: '0', library: 'PODDEV' });
});

test('a PostgreSQL address is a stand-in elsewhere', async () => {
  expect(await placeOf(elsewhere.url)).toEqual({ PLACE: elsewhere.name, FILES: '0', library: 'PODDTA' });
});

test.each(['db2://user:secret@host:50000/PROD', 'DATABASE=PROD;HOSTNAME=host;UID=u;PWD=secret'])(
  'Db2 without its package is refused with the way out, and without the password: %s',
  async (url) => {
    const error: unknown = await open(url).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ kind: 'setup' });
    expect(String(error)).toMatch(/names Db2.*npm install ibm_db@/);
    expect(String(error)).not.toContain('secret');
  },
);

test('ODBC without its package is refused with the way out, and without the password', async () => {
  const error: unknown = await open('odbc:DRIVER={IBM i Access ODBC Driver};SYSTEM=host;UID=u;PWD=secret').catch(
    (reason: unknown) => reason,
  );
  expect(error).toMatchObject({ kind: 'setup', sqlstate: '42724' });
  expect(String(error)).toMatch(/names ODBC.*npm install odbc@/);
  expect(String(error)).not.toContain('secret');
});
