import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { z } from 'zod';
import { ccsids } from './host/files/ccsid.ts';
import { parseLegacyMap } from './host/files/legacy-map.ts';
import type { LibraryMap } from './host/files/library-map.ts';
import type { CellFacilities } from './modes/cell-facilities.ts';

// The values of settings (config.ts): each schema parses text and names the expected value in its only message.

/** Whether only programs of this machine reach an address. */
export const isThisMachine = (host: string): boolean => /^(localhost|127\.[\d.]+|::1)$/.test(host);

export function wholeNumber(min: number, max: number) {
  const error = `expected a whole number from ${min} to ${max}`;
  return z
    .string()
    .regex(/^\d{1,9}$/, { error, abort: true })
    .transform(Number)
    .refine((value) => value >= min && value <= max, error);
}

export function yyyymmdd() {
  return z.string().refine((value) => {
    const day = value.replace(/^(\d{4})(\d\d)(\d\d)$/, '$1-$2-$3');
    const date = new Date(`${day}Z`);
    return day !== value && !Number.isNaN(date.getTime()) && date.toISOString().startsWith(day);
  }, 'expected a day that exists as YYYYMMDD, such as 20261128');
}

export function share() {
  return z
    .string()
    .regex(/^(0|1|0?\.\d{1,6})$/, 'expected a number from 0 to 1, such as 0.05')
    .transform(Number);
}

export function flag() {
  return oneOf('0', '1').transform((value) => value === '1');
}

export function oneOf<const Members extends readonly [string, ...string[]]>(...members: Members) {
  return z.enum(members, `expected one of ${members.join(', ')}`);
}

export function word(what: string) {
  return z.string().regex(/^[!-~]+$/, `expected ${what}`);
}

/**
 * One mailbox, with or without a name. With another value every mail would fail, and only when the first one is due.
 */
export function sender() {
  return z
    .string()
    .regex(
      /^(?:[^<>@\p{Cc}]*<[^<>@,;\s]+@[^<>@,;\s]+>|[^<>@,;\s]+@[^<>@,;\s]+)$/u,
      'expected a mail address, such as pod@example.com or Depot <pod@example.com>',
    );
}

export function mailAddress() {
  return z.string().regex(/^[^<>@,;\s]+@[^<>@,;\s]+$/u, 'expected a mail address, such as pod@example.com');
}

export function telephoneOrDriver() {
  return z.string().regex(/^(driver|\+?[\d ()./-]{3,20})$/, 'expected a telephone number, or driver');
}

/** Db2 for i takes ten characters. SQL texts contain both libraries as names, so no other characters are allowed. */
export function library() {
  return z
    .string()
    .toUpperCase()
    .regex(/^[A-Z][A-Z0-9_]{0,9}$/, 'expected a library name: a letter, then up to nine letters, digits or _');
}

/** A code page of Db2 for i that holds Latin-1. */
export function ccsid() {
  return z.enum(
    ccsids,
    `expected one of ${ccsids.join(', ')}: other code pages lack letters of phones, or change them`,
  );
}

/** A file with the library's own names; the value is its content. */
export function legacyMap() {
  return z.string().transform((path, context): LibraryMap => {
    try {
      return parseLegacyMap(readFileSync(path, 'utf8'));
    } catch (cause) {
      const message = cause instanceof Error ? cause.message : String(cause);
      const [first = '', ...others] = message.split('\n');
      const more = others.length === 0 ? '' : `, and ${others.length} more`;
      context.addIssue({ code: 'custom', message: `${first}${more}` });
      return z.NEVER;
    }
  });
}

/** A schema of PostgreSQL; channels, locks and the schema of its jobs contain it. */
export function cellName() {
  return z
    .string()
    .regex(
      /^[a-z][a-z0-9_]{0,19}$/,
      'expected the schema of the cell: a small letter, then up to 19 small letters, digits or _',
    )
    .refine(
      (name) => !/^(pg_|pgboss|information_schema)/.test(name),
      'expected a schema that PostgreSQL and the jobs do not use',
    );
}

/** `010,020:20261205`. */
export function cellFacilities() {
  return z.string().transform((text, context): CellFacilities => {
    const entries = text.split(',').map((part) => /^([!-9;-~]{1,5})(?::(\d{8}))?$/.exec(part.trim()));
    const found = new Map(entries.flatMap((entry) => (entry ? [[entry[1] ?? '', entry[2] ?? '']] : [])));
    if (found.size === entries.length && [...found.values()].every(isDayOrBlank)) return found;
    const message = 'expected ids of facilities, split by commas, each at most once, such as 010,020:20261205';
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  });
}

const isDayOrBlank = (text: string): boolean => text === '' || yyyymmdd().safeParse(text).success;

/** Tokens travel between this server and the provider, so only the same machine may go without TLS. */
export function isIssuer(value: string): boolean {
  const url = URL.parse(value);
  return (
    url?.protocol === 'https:' || (url?.protocol === 'http:' && isThisMachine(url.hostname.replace(/^\[|\]$/g, '')))
  );
}

export function operatorRoles() {
  return z
    .string()
    .regex(/^look=[^=,\s]+,repair=[^=,\s]+,admin=[^=,\s]+$/, 'expected look=VALUE,repair=VALUE,admin=VALUE')
    .transform((value) => {
      const [look = '', repair = '', admin = ''] = value.split(',').map((pair) => pair.slice(pair.indexOf('=') + 1));
      return { look, repair, admin };
    });
}

export function urlOf(...protocols: string[]) {
  const allowed = protocols.map((protocol) => `${protocol}:`);
  return z
    .string()
    .refine((value) => allowed.includes(URL.parse(value)?.protocol ?? ''), `expected ${allowed.join('//… or ')}//…`);
}

const plainPercent = 'expected user and password with each % written as %25';

function decodes(text: string): boolean {
  try {
    return typeof decodeURIComponent(text) === 'string';
  } catch {
    return false;
  }
}

/** Whether user and password of an address, if it has them, can be decoded. */
const isUserReadable = (value: string): boolean => {
  const url = URL.parse(value);
  return url === null || (decodes(url.username) && decodes(url.password));
};

/** Its user and password travel as Basic authorization. */
export function webhookUrl() {
  return urlOf('http', 'https').refine(isUserReadable, plainPercent);
}

export function postgresUrl() {
  return urlOf('postgres', 'postgresql');
}

export function hostAddress() {
  return z
    .string()
    .refine(
      isHostAddress,
      'expected postgres://…, db2://…, odbc:DRIVER=…;… or an ibm_db connection string (DATABASE=…;HOSTNAME=…;…)',
    )
    .refine((value) => !value.startsWith('db2:') || isUserReadable(value), plainPercent);
}

function isHostAddress(value: string): boolean {
  return (
    /^(postgres|postgresql|db2):$/.test(URL.parse(value)?.protocol ?? '') ||
    /^odbc:\s*(DRIVER|DSN)\s*=/i.test(value) ||
    /(^|;)\s*DATABASE\s*=/i.test(value)
  );
}

/** In the form of a browser's `Origin` header; apps in a shell have a scheme of their own (`capacitor://localhost`). */
export function origins() {
  const error = 'expected origins such as https://drivers.example.com, separated by commas';
  return z
    .string()
    .transform((value) => value.split(',').map((origin) => origin.trim()))
    .refine((list) => list.every((origin) => /^[a-z][a-z0-9+.-]*:\/\/[a-z0-9.[\]:-]+$/.test(origin)), error);
}

/** Folders, files or addresses. */
export function places() {
  return z
    .string()
    .transform((value) => value.split(',').map((place) => place.trim()))
    .refine((list) => list.every((place) => place !== ''), 'expected places, separated by commas');
}

/** Witnesses of the transparency log, as `npm run witness` prints them: KEY@URL. */
export function witnesses() {
  const error = 'expected KEY@URL of each witness, separated by commas, as npm run witness prints it';
  return z.string().transform((value, context): { key: string; url: string }[] =>
    value.split(',').map((entry) => {
      const [, key = '', url = ''] = /^([^@]+\+[0-9a-f]{8}\+[^@]+)@(https?:\/\/.+)$/.exec(entry.trim()) ?? [];
      if (!URL.canParse(url)) context.addIssue(error);
      return { key, url };
    }),
  );
}

/** The values of Fastify's `trustProxy`: false, a number of hops, or addresses and networks. */
export function proxies() {
  const error = 'expected 0, a number of proxies, or addresses and networks separated by commas';
  return z.string().transform((value, context): false | number | string[] => {
    if (/^\d{1,2}$/.test(value)) return Number(value) || false;
    const list = value.split(',').map((entry) => entry.trim());
    if (!list.every(isNetwork)) context.addIssue(error);
    return list;
  });
}

/** An address, a network such as `10.0.0.0/8`, or one of the names that Fastify knows. */
function isNetwork(entry: string): boolean {
  if (/^(loopback|linklocal|uniquelocal)$/.test(entry)) return true;
  const [, address = '', bits] = /^([^/]*)(?:\/(\d{1,3}))?$/.exec(entry) ?? [];
  const longest = { 4: 32, 6: 128 }[isIP(address)] ?? 0;
  return longest > 0 && (bits === undefined || (Number(bits) >= 1 && Number(bits) <= longest));
}

/** The parts of `S3_URL`. */
export interface StoreAddress {
  readonly endpoint: string;
  readonly bucket: string;
  readonly region: string;
  /** Undefined: the SDK's own search (environment, files, the machine's role). */
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string } | undefined;
}

const defaultRegion = 'us-east-1';

/**
 * Reads `http(s)://[KEY:SECRET@]HOST[:PORT]/BUCKET[?region=REGION]`; undefined for anything else. The names of a bucket
 * are those of AWS: 3 to 63 lower-case letters, digits, dots and hyphens.
 */
export function parseStoreAddress(text: string): StoreAddress | undefined {
  const url = URL.parse(text);
  if (!url || !['http:', 'https:'].includes(url.protocol) || url.hash !== '') return undefined;
  const [, bucket] = /^\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])\/?$/.exec(url.pathname) ?? [];
  if (bucket === undefined || (url.username === '') !== (url.password === '')) return undefined;
  if ([...url.searchParams.keys()].some((name) => name !== 'region')) return undefined;
  const credentials =
    url.username === ''
      ? undefined
      : { accessKeyId: decodeURIComponent(url.username), secretAccessKey: decodeURIComponent(url.password) };
  return { endpoint: url.origin, bucket, region: url.searchParams.get('region') || defaultRegion, credentials };
}

export function storeAddress() {
  const readable = z.string().refine(isUserReadable, { error: plainPercent, abort: true });
  return readable.transform((text, context) => {
    const address = parseStoreAddress(text);
    if (!address) context.addIssue('expected http(s)://[KEY:SECRET@]HOST[:PORT]/BUCKET[?region=REGION]');
    return address ?? z.NEVER;
  });
}
