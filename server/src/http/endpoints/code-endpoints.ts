import { createHash } from 'node:crypto';
import type { Answered, Operation, ReferenceCode } from '@tailgate/sync-protocol';
import { operations } from '@tailgate/sync-protocol';
import type { ListedCode } from '../../codes/lists.ts';
import { listCodes, toCreditReason, toInvoiceException, toPlainCode, toStopException } from '../../codes/lists.ts';
import type { Db } from '../../db/types.ts';
import type { Endpoint } from '../answers/endpoint.ts';
import { endpoint } from '../answers/endpoint.ts';

/**
 * Phones cache a list for five minutes (contract §5). The cache is private: under ACCESS=strict a shared one would
 * leak.
 */
const cacheControl = 'private, max-age=300';

/** Interface.md 4.5. */
export function codeEndpoints(db: Db) {
  const list = <Code>(
    operation: Operation<undefined, undefined, Code[], undefined, undefined>,
    type: ReferenceCode['type'],
    toCode: (row: ListedCode) => Answered<Code> | undefined,
  ): Endpoint =>
    endpoint(operation, async () => {
      const data = (await listCodes(db, type)).flatMap((row) => toCode(row) ?? []);
      return { data, etag: etagOf(data), headers: { 'cache-control': cacheControl } };
    });
  return {
    listStopExceptions: list(operations.listStopExceptions, 'stop-exception', toStopException),
    listCreditReasons: list(operations.listCreditReasons, 'credit-reason', toCreditReason),
    listInvoiceExceptions: list(operations.listInvoiceExceptions, 'invoice-exception', toInvoiceException),
    listContainerTypes: list(operations.listContainerTypes, 'container-type', toPlainCode),
    listSections: list(operations.listSections, 'section', toPlainCode),
    listTrailerAreas: list(operations.listTrailerAreas, 'trailer-area', toPlainCode),
  };
}

/** A hash of the content: an unchanged list has the same tag after the next import. */
const etagOf = (data: unknown): string =>
  `"${createHash('sha256').update(JSON.stringify(data)).digest('base64url').slice(0, 22)}"`;
