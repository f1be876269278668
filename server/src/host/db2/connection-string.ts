import { HostError } from '../host.ts';

export type Db2Address = { readonly url: string; readonly library: string; readonly program: string };

/** Db2 LUW's own; Db2 for i listens on 446, or 448 with TLS. */
const DEFAULT_PORT = '50000';

/**
 * The connection string of `ibm_db`, from `db2://user:password@host:port/DATABASE?Security=SSL&…` (it passes the
 * query's keywords on as they are) or from a connection string. It adds the library and the program's name, by which
 * the host's triggers recognize the service. @throws HostError 42705 for an address without a database
 */
export function connectionString({ url, library, program }: Db2Address): string {
  const given = url.startsWith('db2:') ? fromUrl(url) : fromText(url);
  const ours = new Map([
    ['CURRENTSCHEMA', library],
    ['CLIENTAPPLNAME', program],
  ]);
  const parts = [...given].filter(([name]) => !ours.has(name.toUpperCase()));
  return [...parts, ...ours].map(([name, value]) => `${name}=${quoted(value)};`).join('');
}

function fromUrl(text: string): Map<string, string> {
  if (!URL.canParse(text)) throw wrong();
  const url = new URL(text);
  const database = decodeURIComponent(url.pathname.slice(1));
  if (database === '' || url.hostname === '') throw wrong();
  return new Map([
    ['DATABASE', database],
    ['HOSTNAME', url.hostname],
    ['PORT', url.port === '' ? DEFAULT_PORT : url.port],
    ['PROTOCOL', 'TCPIP'],
    ['UID', decodeURIComponent(url.username)],
    ['PWD', decodeURIComponent(url.password)],
    ...url.searchParams,
  ]);
}

function fromText(text: string): Map<string, string> {
  const parts = [...text.matchAll(/\s*([^=;]+)=(?:\{([^}]*)\}|([^;]*))(?:;|$)/g)];
  const keywords = new Map(parts.map(([, name = '', braced, plain]) => [name.trim(), braced ?? plain ?? '']));
  // A DSN of the client's own configuration replaces the rest.
  if (![...keywords.keys()].some((name) => /^(database|dsn)$/i.test(name))) throw wrong();
  return keywords;
}

function quoted(value: string): string {
  if (value.includes('}'))
    throw new HostError('42705', 'a value of LEGACY_URL holds a }, which Db2’s client cannot read');
  return value.includes(';') ? `{${value}}` : value;
}

/** Without the address itself: it contains a password. */
function wrong(): HostError {
  return new HostError(
    '42705',
    'LEGACY_URL is no address of Db2: db2://user:password@host:port/DATABASE or DATABASE=…;HOSTNAME=…;PORT=…;UID=…;PWD=…',
  );
}
