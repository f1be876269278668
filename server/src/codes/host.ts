import type { ReferenceCode } from '@tailgate/sync-protocol';
import type { HostRecord } from '../host/files/tables.ts';

/** A code of the host's control file; undefined for lists that drivers do not use. */
export function codeFromHost(row: HostRecord<'CTLCDP'>): (ReferenceCode & { active: boolean }) | undefined {
  const type = types[row.CCTYP];
  if (type === undefined) return undefined;
  return {
    type,
    code: row.CCCOD,
    description: row.CCDSC,
    category: row.CCCAT,
    driver_visible: row.CCDRVF === 'Y',
    stop_type: type === 'stop-exception' ? (stopTypes.find((known) => known === row.CCCAT.toUpperCase()) ?? 'B') : '',
    requires_photo: row.CCPHOF === 'Y',
    requires_comment: row.CCCMTF === 'Y',
    sort: Number(row.CCSEQ),
    active: row.CCSTS === 'A',
  };
}

const types: { readonly [hostType: string]: ReferenceCode['type'] } = {
  STPEXC: 'stop-exception',
  CRDRSN: 'credit-reason',
  INVEXC: 'invoice-exception',
  CONTYP: 'container-type',
  SECTN: 'section',
  TRLARE: 'trailer-area',
};
const stopTypes = ['S', 'R', 'B'] as const;
