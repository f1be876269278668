import { expect, test } from 'vitest';
import { entryOf } from '../../server/src/tlog/log.ts';
import { proofMember } from '../../server/verify/src/format.ts';
import { expectedFacts } from '../../server/verify/src/log/expected.ts';
import { differences, readLeaf } from '../../server/verify/src/log/leaf-checks.ts';
import { nodeTools } from '../../server/verify/src/node-tools.ts';
import { sha256 } from '../../server/src/mutations/item.ts';

// The id of a file has 80 bits of its hash: two files of one id can be made. The log has the whole hash.

const id = 'BVX47Y5VDT2SPAKW';
const at = '2026-11-20T15:59:30.000Z';
const salt = Buffer.alloc(32, 7);
const [photo, forgery] = ['the photo of the pallet', 'another pallet'].map((text) => ({
  sha256: sha256(text).toString('hex'),
  size: 23,
}));

/** The record of a pack that has this file under the id. */
const recordOf = (file: object | undefined) => [
  {
    place: { facility: 'F01', route_id: 'R100', week_end: '20261121', stop_id: 1 },
    ...{ facts: [], acts: [], mails: [] },
    files: [{ asset_id: id, received_at: at, ...file }],
  },
];

const foundIn = async (file: object | undefined) => {
  const entry = entryOf({ kind: 'file', source: id, at: new Date(at), fields: { ...photo } }, salt, new Date(at));
  const leaf = readLeaf({ proof: proofMember('file', id), entry, salt: salt.toString('hex') });
  const [expected] = expectedFacts(recordOf(file), false);
  return expected && differences(leaf, expected, nodeTools.hashing);
};

test('two files of one forged id: the leaf names the other one', async () => {
  expect(await foundIn(photo)).toEqual([]);
  expect(await foundIn(forgery)).toEqual([{ code: 'leaf-differs', about: `file ${id}: sha256` }]);
});
