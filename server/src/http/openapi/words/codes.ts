import {
  creditReasonPayload,
  invoiceExceptionPayload,
  plainCodePayload,
  stopExceptionPayload,
} from '@tailgate/sync-protocol';
import { described } from '../described.ts';

// Interface.md 4.5 with contract §5.

const codeWords = { code: 'The value in records, always text.', description: 'The text in the list.' };
const sort = 'Position in the list.';

export const codeSchemas = [
  described('StopException', stopExceptionPayload, 'A reason to skip or refuse a stop.', {
    ...codeWords,
    type: '`S` for skipping, `R` for refusing, `B` for both.',
    requires_comment: 'Whether the app should ask for a comment.',
    requires_photo: 'Whether the app should ask for a photo.',
    sort,
  }),
  described('CreditReason', creditReasonPayload, 'A reason for an exception (OSD).', {
    ...codeWords,
    category: 'The group within the list.',
    requires_photo: 'Whether the app should ask for a photo.',
    sort,
  }),
  described('InvoiceException', invoiceExceptionPayload, 'An invoice exception that drivers may choose.', {
    ...codeWords,
    driver_visible: 'Always `Y`.',
  }),
  described('Code', plainCodePayload, 'An entry of a code list.', { ...codeWords, sort }),
];
