// The code pages of a library on Db2 for i that hold the texts of phones: Latin-1, in another order in each. 1140 lacks ¤.

/** Of Db2 for i. 1140 is 37 with the euro in place of ¤: no text that the service writes has either of them. */
export const ccsids = ['37', '500', '273', '297', '1140'] as const;
export type Ccsid = (typeof ccsids)[number];

/** Letters whose bytes differ between code pages that hold Latin-1. */
export const sampleText = 'é|[ß ñ^ä';

/** The bytes of `sampleText`, by IBM's tables. */
const sampleBytes: { readonly [ccsid in Ccsid]: string } = {
  '37': '514FBA594049B043',
  '500': '51BB4A5940495F43',
  '273': '51BB63A140495FC0',
  '297': 'C0BB905940495F43',
  '1140': '514FBA594049B043',
};
/** In the ISO 8859-1 of a Db2 LUW database. */
const sampleInLatin1 = 'E97C5BDF20F15EE4';

/** The bytes of the sample on a host, in hexadecimal. */
export function sampleOn(dialect: 'db2i' | 'db2', ccsid: Ccsid): string {
  return dialect === 'db2i' ? sampleBytes[ccsid] : sampleInLatin1;
}

/** The bytes of its first letter, é. */
export function probeOn(dialect: 'db2i' | 'db2', ccsid: Ccsid): string {
  return sampleOn(dialect, ccsid).slice(0, 2);
}
