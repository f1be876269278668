import { cellPayload, cellQuery } from '@tailgate/sync-protocol';
import { described } from '../described.ts';

export const cellSchemas = [
  described('CellQuery', cellQuery, 'The facility of a driver.', {
    facility: 'Without it, or with an unknown id, the answer is the address of the cell of all other facilities.',
  }),
  described('Cell', cellPayload, 'The cell of a facility.', {
    url: 'Address of the cell, without `/api`; null where the answering server is the only cell.',
  }),
];
