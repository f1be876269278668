import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readTrust } from '../../server/verify/src/log/trust.ts';
import { nodeTools } from '../../server/verify/src/node-tools.ts';
import { statesOf, verify } from './packs.ts';

// Packs as former releases wrote them. Every later verifier reads them with the same result: a file is added for each
// change of the format, and none is ever written again.

const folder = join(import.meta.dirname, 'golden');

test.each([
  [
    'unreleased-without-log.zip',
    'unsigned',
    { container: 'passed', document: 'passed', links: 'passed', log: 'absent' },
  ],
  ['unreleased-with-log.zip', 'proven', { seal: 'passed', log: 'passed', witness: 'passed' }],
  [
    'unreleased-signed-and-stamped.zip',
    'proven',
    { seal: 'passed', certificate: 'passed', log: 'passed', witness: 'passed', stamps: 'passed' },
  ],
  ['unreleased-without-names.zip', 'proven', { changes: 'passed', links: 'passed', log: 'passed' }],
])('%s is %s', async (name, outcome, states) => {
  const trust = await readTrust(await readFile(join(folder, 'keys.txt'), 'utf8'), nodeTools);
  const verification = await verify(await readFile(join(folder, name)), 65_536, { trust });
  expect(statesOf(verification)).toMatchObject(states);
  expect(verification.outcome).toBe(outcome);
});

test('each golden pack has its line above', async () => {
  const packs = (await readdir(folder)).filter((name) => name.endsWith('.zip'));
  expect(packs).toHaveLength(4);
});
