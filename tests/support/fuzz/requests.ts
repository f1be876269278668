import type { Operation, PathSetName } from '@tailgate/sync-protocol';
import type { OperationName } from '../../../server/src/http/operations.ts';
import { pathSets } from '@tailgate/sync-protocol';
import { operations } from '../../../server/src/http/operations.ts';
import fc from 'fast-check';
import type { Signed } from '../rest-client.ts';
import type { Words } from './json-values.ts';
import type { Bodied } from './forms.ts';
import { forms } from './forms.ts';
import { brokenBytes, arbitraryJson, corrupted, textOf, usually, valuesOf } from './json-values.ts';
import type { WireRequest } from './wire.ts';

/** The field of the file of a form, where it is not `files`. */
const fileFields: Readonly<Partial<Record<string, string>>> = { verifyEvidence: 'pack' };

/** A request and its intended form before the mutation. */
export interface FuzzRequest extends WireRequest {
  readonly name: OperationName;
  readonly paths: PathSetName;
}

export interface FuzzDeps {
  /** Signed in; the requests to everything but auth are theirs. */
  readonly driver: Signed;
  /** May be signed in, out and over again. */
  readonly signedOut: Signed;
  readonly opsToken: string;
  readonly words: Words;
  /** Valid bodies for operations that random values rarely reach. */
  readonly samples: Readonly<Partial<Record<OperationName, readonly object[]>>>;
}

type AnyOperation = Operation<unknown, unknown, unknown>;

/** A stream of lines has no end that a request could wait for. */
export const fuzzedOperations: readonly OperationName[] = Object.keys(operations)
  .filter((name): name is OperationName => name in operations)
  .filter((name) => operations[name].answers !== 'lines');

/** Requests to these operations: most of them nearly right, so that they pass the first check. */
export function fuzzRequests(deps: FuzzDeps, names = fuzzedOperations): fc.Arbitrary<FuzzRequest> {
  return fc.oneof(
    ...names.map((name) => {
      const operation = operations[name];
      return { weight: operation.method === 'GET' ? 3 : 5, arbitrary: requestsTo(name, operation, deps) };
    }),
  );
}

function requestsTo(name: OperationName, operation: AnyOperation, deps: FuzzDeps): fc.Arbitrary<FuzzRequest> {
  const { sets, form } = operation;
  const bodied =
    form === undefined ? jsonBodies(operation, deps.words, deps.samples[name]) : forms(fileFields[name] ?? 'files');
  return fc
    .record({
      paths: fc.oneof(
        { weight: 9, arbitrary: fc.constantFrom(...sets) },
        fc.constantFrom<PathSetName>('v20', 'current'),
      ),
      method: usually(
        operation.method,
        fc.constantFrom('GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND', 'MKCOL'),
      ),
      segments: allSegments(paramsOf(operation.path), deps.words),
      query: queries(operation, deps.words),
      credentials: credentials(operation, deps),
      headers: extraHeaders,
      body: bodied,
    })
    .map(({ paths, method, segments: filling, query, credentials: who, headers, body }) => ({
      name,
      paths,
      method,
      path: pathSets[paths] + fill(operation.path, filling) + query,
      headers: { ...body?.headers, ...who, ...headers },
      body: body?.bytes,
    }));
}

const paramsOf = (path: string): string[] => [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name);

const fill = (path: string, filling: readonly string[]): string => {
  let n = 0;
  return path.replaceAll(/:\w+/g, () => filling[n++] ?? '');
};

/** Possible bytes of a request line; a server has to check it itself. */
const inAddress = (text: string): string => text.replaceAll(/[^\u0021-\u00ff]/g, '');

const malformed = fc.oneof(
  fc.constantFrom(
    '%00',
    '%',
    '%zz',
    '%ed%a0%80',
    '%ff',
    '..',
    '%2e%2e%2f',
    '%2f',
    '\u00e9',
    ';',
    '__proto__',
    "'--",
    '',
  ),
  fc.string({ maxLength: 20, unit: 'binary' }).map((text) => encodeURIComponent(text.toWellFormed())),
  fc.constant('x'.repeat(500)),
);

/** The values of all parameters: mostly existing ones by their names. */
function allSegments(params: readonly string[], { segments: others = ['x'], ...words }: Words) {
  const known = params.map((param) => fc.constantFrom(...(words[param] ?? others).map(String).filter(Boolean)));
  const other = fc.oneof(fc.constantFrom(...others).map(String), malformed);
  const mixed = known.map((arbitrary) => fc.oneof(arbitrary, other));
  return fc.oneof({ weight: 3, arbitrary: fc.tuple(...known) }, { weight: 2, arbitrary: fc.tuple(...mixed) });
}

function queries(operation: AnyOperation, words: Words): fc.Arbitrary<string> {
  const meant = valuesOf(operation.query, words).map((value) =>
    typeof value === 'object' && value !== null ? Object.entries(value) : [],
  );
  const written = fc
    .tuple(meant, usually([], fc.array(fc.tuple(malformed, fc.option(malformed)), { maxLength: 2 })))
    .map(([pairs, more]) => [
      ...pairs.map(
        ([name, value]) => `${encode(name)}=${encode(typeof value === 'string' ? value : textOf(value).toString())}`,
      ),
      ...more.map(([name, value]) => (value === null ? name : `${name}=${value}`)),
    ])
    .map((pairs) => (pairs.length === 0 ? '' : inAddress(`?${pairs.join('&')}`)));
  return fc.oneof(
    { weight: 9, arbitrary: written },
    fc.webQueryParameters().map((query) => `?${query}`),
  );
}

const encode = (text: string): string => encodeURIComponent(text.toWellFormed());

function credentials(operation: AnyOperation, { driver, signedOut, opsToken }: FuzzDeps) {
  // A sign-out of the driver would end all later requests.
  const own = operation.path.startsWith('/auth/') ? signedOut : driver;
  const shown = { ...own, authorization: `Bearer ${opsToken}` };
  return fc.oneof(
    { weight: 8, arbitrary: fc.constant<Record<string, string>>(shown) },
    fc.constantFrom<Record<string, string>>(
      {},
      { employee_id: own.employee_id },
      { 'employee-id': own.employee_id, 'api-token': 'no-token-of-anybody' },
      { employee_id: '1003', api_token: own.api_token },
      { employee_id: '\u00e9', api_token: '\u00ff'.repeat(300) },
      { authorization: 'Bearer ' },
      { authorization: `Basic ${opsToken}` },
    ),
  );
}

const headerText = fc.string({ maxLength: 250, unit: 'binary' }).map((text) =>
  Buffer.from(text)
    .toString('latin1')
    .replaceAll(/[^\t\x20-\x7e\x80-\xff]/g, '')
    .trim(),
);

/** One header more than needed, now and then: code behind the parser reads them. */
const extraHeaders: fc.Arbitrary<Record<string, string>> = fc.oneof(
  { weight: 10, arbitrary: fc.constant({}) },
  fc
    .tuple(
      fc.constantFrom(
        ...['idempotency-key', 'x-request-id', 'if-none-match', 'if-range', 'range', 'accept-encoding', 'content-type'],
        ...['content-encoding', 'x-forwarded-for', 'x-http-method-override', 'origin', 'cookie', 'expect', 'accept'],
      ),
      fc.oneof(
        headerText,
        fc.constantFrom(
          '*',
          '"a"',
          'W/"a", "b"',
          'bytes=0-',
          'bytes=-1',
          'bytes=5-2',
          'bytes=0-0,2-3',
          'gzip',
          'br;q=1',
        ),
        fc.constantFrom(
          'application/json; charset=utf-16',
          'text/plain',
          'multipart/form-data',
          'null',
          '100-continue',
        ),
        fc.constantFrom('same-key-of-many'),
      ),
    )
    .map(([name, value]) => ({ [name]: value })),
);

function jsonBodies(
  operation: AnyOperation,
  words: Words,
  samples: readonly object[] = [],
): fc.Arbitrary<Bodied | undefined> {
  const made = valuesOf(operation.body, words);
  const values =
    samples.length === 0 ? made : fc.oneof(made, { weight: 2, arbitrary: fc.constantFrom<unknown>(...samples) });
  const texts = values.map(textOf);
  const bodies = fc
    .oneof(
      { weight: 5, arbitrary: texts },
      { weight: 4, arbitrary: corrupted(values).map(textOf) },
      { weight: 1, arbitrary: arbitraryJson.map(textOf) },
      { weight: 2, arbitrary: brokenBytes(texts) },
    )
    .map((bytes): Bodied => ({ headers: { 'content-type': 'application/json' }, bytes }));
  const none = fc.constant(undefined);
  return operation.method === 'GET'
    ? fc.oneof({ weight: 9, arbitrary: none }, bodies)
    : fc.oneof({ weight: 19, arbitrary: bodies }, none);
}
