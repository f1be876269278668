import type { HostPart } from '../host/files/tables.ts';
import lists from './codes.json' with { type: 'json' };

type Code = HostPart<'CTLCDP'>;
type Entry = Pick<Code, 'CCCOD' | 'CCDSC'> & Partial<Code>;

const entriesByType: Readonly<Record<string, readonly Entry[]>> = lists;

/** The reference codes of the demo host: those of the interface's documents and samples. */
export const codes: readonly Code[] = Object.entries(entriesByType).flatMap(([type, entries]) =>
  entries.map((entry, index) => ({
    CCTYP: type,
    CCCAT: '',
    CCDRVF: 'Y',
    CCSRF: 'N',
    CCPHOF: 'N',
    CCCMTF: 'N',
    ...entry,
    CCSEQ: `${(index + 1) * 10}`,
    CCSTS: 'A',
  })),
);
