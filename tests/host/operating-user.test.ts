import { execFile } from 'node:child_process';
import { userInfo } from 'node:os';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { operatingUser } from '../../server/src/host/tools/operating-user.ts';
import { openStandIn } from '../../server/src/host/connection/postgres.ts';
import { atFileEnd } from '../support/file-end.ts';
import { recordedLog } from '../support/recorded-log.ts';
import { createHost } from '../support/stand-in.ts';

// On the stand-in, `npm run host -- sql` uses the name of its user.

const { database, host } = await createHost();
const users = async (route: string) =>
  (await host.query(`select CHUSR from PODCHGP where CHFIL = 'RTDRVP' and CHKEY like '%${route}%'`)).map(
    ({ CHUSR }) => CHUSR,
  );
const insert = (route: string) =>
  `insert into RTDRVP (RDFAC, RDRTE, RDWKE, RDEMP) values ('F01', '${route}', 20261128, '1001')`;

test('npm run host -- sql writes as the operating system’s user', async () => {
  const command = fileURLToPath(new URL('../../server/bin/host.ts', import.meta.url));
  const env = { ...process.env, LEGACY_URL: database.url };
  await promisify(execFile)(process.execPath, ['--conditions=source', command, 'sql', insert('OSUSER')], { env });
  expect(await users('OSUSER')).toEqual([userInfo().username.toUpperCase().slice(0, 18)]);
});

test.each([
  ['ann', 'ANN'],
  ['CORP\\ann o’neil', 'CORP\\ANN O?NEIL'],
  ['łukasz', '?UKASZ'],
  ['a-very-long-login-name', 'A-VERY-LONG-LOGIN-'],
])('the doorbell records %s as %s', async (name, noted) => {
  const user = operatingUser(() => name);
  const clerk = await openStandIn({
    url: database.url,
    library: 'PODDTA',
    log: recordedLog(),
    program: 'HOSTCLI',
    user,
    size: 1,
  });
  atFileEnd(() => clerk.close());
  const route = `U${name.length}`;
  await clerk.transaction((tx) => tx.execute(insert(route)));
  expect(await users(route)).toEqual([noted]);
});

test('a number without a name leaves the connection’s user', async () => {
  const nameless = () => {
    throw new Error('ENOENT: no such user');
  };
  expect(operatingUser(nameless)).toBeUndefined();
  expect(operatingUser(() => '')).toBeUndefined();
  const clerk = await openStandIn({ url: database.url, library: 'PODDTA', log: recordedLog(), program: 'HOSTCLI' });
  atFileEnd(() => clerk.close());
  await clerk.transaction((tx) => tx.execute(insert('NONE')));
  expect(await users('NONE')).toEqual([new URL(database.url).username]);
});
