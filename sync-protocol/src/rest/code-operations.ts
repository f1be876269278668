import * as z from '#schema';
import {
  creditReasonPayload,
  invoiceExceptionPayload,
  plainCodePayload,
  stopExceptionPayload,
} from './code-payloads.ts';
import { nothing, operation } from './operations.ts';

const codeList = <Code>(path: `/${string}`, code: z.ZodMiniType<Code>, summary: string, message: string) =>
  operation({
    method: 'GET',
    path: `/control/codes${path}`,
    sets: ['v20'],
    access: 'open',
    summary,
    message,
    body: nothing,
    query: nothing,
    data: z.array(code),
    requestHeaders: ['if-none-match'],
    errors: [],
  });

/** Interface.md 4.5: the code lists, on the prefixed set only. */
export const codeOperations = {
  listStopExceptions: codeList(
    '/stop-exception',
    stopExceptionPayload,
    'Reason codes for skipping (S) or refusing (R) a stop, or both (B).',
    'Stop exception codes',
  ),
  listCreditReasons: codeList(
    '/credit-reason',
    creditReasonPayload,
    'OSD credit reason codes for returns and exceptions.',
    'Credit reason codes',
  ),
  listInvoiceExceptions: codeList(
    '/invoice-exception',
    invoiceExceptionPayload,
    'Invoice exception codes that are flagged for drivers.',
    'Invoice exception codes',
  ),
  listContainerTypes: codeList(
    '/product/container-type',
    plainCodePayload,
    'Valid container types.',
    'Container types',
  ),
  listSections: codeList('/product/section', plainCodePayload, 'Valid product sections.', 'Product sections'),
  listTrailerAreas: codeList('/product/trailer-area', plainCodePayload, 'Valid trailer areas.', 'Trailer areas'),
} as const;
