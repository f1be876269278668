import {
  creditReasonPayload,
  invoiceExceptionPayload,
  plainCodePayload,
  stopExceptionPayload,
} from '@tailgate/sync-protocol';
import { described } from '../described.ts';

// Interface.md 4.5 with contract §5.

const codeWords = { code: 'What records hold, always text.', description: 'What people choose by.' };
const sort = 'Its place in the list.';

export const codeSchemas = [
  described('StopException', stopExceptionPayload, 'Why a stop was skipped or refused.', {
    ...codeWords,
    type: '`S` for skipping, `R` for refusing, `B` for both.',
    requires_comment: 'Whether the app should ask for a comment.',
    requires_photo: 'Whether the app should ask for a photo.',
    sort,
  }),
  described('CreditReason', creditReasonPayload, 'What an exception (OSD) is about.', {
    ...codeWords,
    category: 'Groups the list.',
    requires_photo: 'Whether the app should ask for a photo.',
    sort,
  }),
  described('InvoiceException', invoiceExceptionPayload, 'An invoice exception that drivers may choose.', {
    ...codeWords,
    driver_visible: 'Always `Y`.',
  }),
  described('Code', plainCodePayload, 'An entry of a list.', { ...codeWords, sort }),
];
