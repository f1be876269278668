import { hostText } from '@tailgate/sync-protocol';
import { decimalText } from '../../host/files/fit.ts';
import { isPersonsText, plainMap, type LibraryMap } from '../../host/files/library-map.ts';
import { unchangedRow, type RowFit } from '../../stops/host-stop.ts';

/** The flag of a file for a text that was cut or changed. */
const textFlags: { readonly [file: string]: string | undefined } = { RTSTUP: 'RUCMTL', RTOSDP: 'OSTXTL' };

/**
 * The rows that this library can hold: a text that is longer than its column is cut at a word, with the flag of the row,
 * and a column that the library lacks has its initial value. What is compared with the host has this form, too.
 */
export function rowFit(map: LibraryMap = plainMap): RowFit {
  if (map.isPlain) return unchangedRow;
  return (file, row) => {
    const changed: { [column: string]: string } = {};
    for (const [column, value] of Object.entries(row)) {
      const definition = map.definition(column);
      if (map.ownName(column) === undefined)
        changed[column] = definition.kind === 'decimal' ? decimalText(0, definition.scale) : '';
      else if (definition.kind === 'char' && isPersonsText(column) && value.length > definition.length) {
        changed[column] = hostText(value, definition.length).text;
        const flag = textFlags[file];
        if (flag !== undefined && map.ownName(flag) !== undefined) changed[flag] = 'Y';
      }
    }
    return Object.keys(changed).length === 0 ? row : { ...row, ...changed };
  };
}
