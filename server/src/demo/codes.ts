import type { HostPart } from '../host/files/tables.ts';

// The reference codes of the demo host: those of the interface's documents and samples.

type Code = HostPart<'CTLCDP'>;
type Flags = Partial<Pick<Code, 'CCCAT' | 'CCDRVF' | 'CCSRF' | 'CCPHOF' | 'CCCMTF'>>;

const list = (
  type: string,
  entries: readonly (readonly [code: string, description: string, flags?: Flags])[],
): Code[] =>
  entries.map(([code, description, flags], index) => ({
    CCTYP: type,
    CCCOD: code,
    CCDSC: description,
    CCCAT: '',
    CCDRVF: 'Y',
    CCSRF: 'N',
    CCPHOF: 'N',
    CCCMTF: 'N',
    ...flags,
    CCSEQ: `${(index + 1) * 10}`,
    CCSTS: 'A',
  }));

const skip = { CCCAT: 'S', CCSRF: 'Y' } as const;
const refuse = { CCCAT: 'R', CCSRF: 'Y' } as const;
const plain = (names: readonly string[]) => names.map((name) => [name, name] as const);

export const codes: readonly Code[] = [
  ...list('STPEXC', [
    ['01', 'Store closed', { ...skip, CCPHOF: 'Y' }],
    ['02', 'No access to the dock', skip],
    ['03', 'Out of hours', skip],
    ['04', 'Road or weather', { ...skip, CCCMTF: 'Y' }],
    ['10', 'Not ordered', refuse],
    ['11', 'Wrong goods', refuse],
    ['12', 'Damaged on arrival', { ...refuse, CCPHOF: 'Y' }],
    ['13', 'Too late', refuse],
    ['99', 'Other', { CCCAT: 'B', CCSRF: 'Y', CCCMTF: 'Y' }],
  ]),
  ...list('CRDRSN', [
    ['10', 'Short on truck', { CCCAT: 'SHORTAGE' }],
    ['11', 'Short in tote', { CCCAT: 'SHORTAGE' }],
    ['20', 'Damaged in transit', { CCCAT: 'DAMAGE', CCPHOF: 'Y' }],
    ['21', 'Damaged package', { CCCAT: 'DAMAGE', CCPHOF: 'Y' }],
    ['22', 'Spoiled or melted', { CCCAT: 'DAMAGE', CCPHOF: 'Y' }],
    ['30', 'Refused by customer', { CCCAT: 'REFUSAL' }],
    ['31', 'Ordered in error', { CCCAT: 'REFUSAL' }],
    ['40', 'Out of date', { CCCAT: 'QUALITY', CCPHOF: 'Y' }],
    ['50', 'Wrong item', { CCCAT: 'MISPICK' }],
    ['85', 'Overage, left with customer', { CCCAT: 'OVERAGE' }],
    ['86', 'Overage, returned', { CCCAT: 'OVERAGE' }],
  ]),
  ...list('INVEXC', [
    ['P1', 'Price differs'],
    ['P2', 'Invoice missing'],
    ['P3', 'Signature refused'],
    ['P4', 'Paid in cash'],
    ['X1', 'Office: credit hold', { CCDRVF: 'N' }],
  ]),
  ...list('CONTYP', plain(['BALE', 'BLUE PALLET', 'BROWN PALLET', 'CASE', 'PAPER TOTE', 'PLASTIC TOTE'])),
  ...list('SECTN', plain(['CASES', 'CIG/TOB', 'INFO', 'PALLETS', 'RETURNS', 'TOTES'])),
  ...list('TRLARE', plain(['COOLER', 'DRY', 'FREEZER'])),
];
