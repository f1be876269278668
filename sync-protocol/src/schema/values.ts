import * as z from '#schema';
import { isDay } from './days.ts';
import { hostKey } from './host-key.ts';

/** Text for any JSON reader, database and host: no NUL, no lone surrogate, at most `max` code points. */
export const text = (max: number) => textWithout(unstorable, 'NUL', max);
const unstorable = /[\0\ud800-\udfff]/u;

/** A text without control characters, because line keys join their parts with tabs. */
export const word = (max: number) => textWithout(/[\0-\x1f\x7f\ud800-\udfff]/u, 'control characters', max);

/** A key of the host, normalized to the form of its columns. */
export const keyText = (max: number) => word(max).check(z.overwrite(hostKey));

/** A key that must name something: a row of the host with a blank item is an overage, of no line. */
export const requiredKey = (max: number) => keyText(max).check(z.refine(Boolean, 'must not be blank'));

/** Codes, barcodes and ids outside of line keys: the same normalization, any characters. */
export const codeText = (max: number) => text(max).check(z.overwrite(hostKey));

/** With the flag `u` the pattern matches lone surrogates only. React Native lacks `isWellFormed`. */
const textWithout = (what: RegExp, name: string, max: number) =>
  z.string().check(
    z.maxLength(max),
    z.refine((value) => !what.test(value), `must be well-formed text without ${name}`),
  );

/** Any JSON value whose texts and names are as storable as `text`. */
export const anyJson = () => z.json().check(z.refine(isStorable, 'must have well-formed text without NUL'));
const isStorable = (value: unknown): boolean =>
  value instanceof Object ? Object.entries(value).flat().every(isStorable) : !unstorable.test(String(value));

/** A text that `null` or `""` clears; both become `null`. */
export const clearableText = (max: number, form = text) => z.pipe(z.nullable(form(max)), z.transform(blankToNull));
const blankToNull = (value: string | null): string | null => (value === '' ? null : value);

/** A list of at most `max` entries; `null` empties it. */
export const clearableList = <Item extends z.ZodMiniType>(item: Item, max: number) =>
  z.pipe(
    z.nullable(z.array(item).check(z.maxLength(max))),
    z.transform((value) => value ?? []),
  );

/** A count of pieces: 0 to 9,999,999, the range of the host's DECIMAL(7,0). */
export const count = z.int().check(z.gte(0), z.lte(9_999_999));

const fullInstant = z.iso.datetime({ offset: true });
/** Forms of ISO 8601 outside of RFC 3339: no seconds, offsets such as -0600 and +01. */
const shortInstant = z.pipe(
  z.pipe(
    z.string().check(z.regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d([.,]\d+)?)?(Z|[+-]\d\d(:?\d\d)?)$/)),
    z.transform(inFull),
  ),
  fullInstant,
);
function inFull(value: string): string {
  return value
    .replace(',', '.')
    .replace(/(T\d\d:\d\d)(?!:\d\d)/, '$1:00')
    .replace(/([+-]\d\d)$/, '$1:00')
    .replace(/([+-]\d\d)(\d\d)$/, '$1:$2');
}
const notAnInstant = 'must be an instant with an offset, such as 2026-11-20T10:00:00Z';
/** An ISO 8601 instant with any offset, converted to UTC `…Z` with milliseconds. */
export const instant = z.pipe(
  z.pipe(z.union([fullInstant, shortInstant], notAnInstant), z.transform(toUtc)),
  z.string().check(z.refine((value) => utcForm.test(value), notAnInstant)),
);
function toUtc(value: string): string {
  return utcForm.test(value) ? value : new Date(value).toISOString();
}
const utcForm = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** An instant that `null` or `""` clears. */
export const clearableInstant = z.union(
  [
    instant,
    z.pipe(
      z.union([z.null(), z.literal('')]),
      z.transform(() => null),
    ),
  ],
  notAnInstant,
);

/** Route weeks and other host dates: an existing day as `YYYYMMDD`. */
export const yyyymmdd = z
  .string()
  .check(
    z.refine(
      (value) => /^\d{8}$/.test(value) && isDay(`${value.slice(0, 4)}-${value.slice(4, 6)}-${value.slice(6)}`),
      'must be a date such as 20261120',
    ),
  );

/** A 16-character asset id; ids in requests may have any letters and digits. */
export const assetId = z.string().check(z.regex(/^[A-Za-z0-9]{16}$/, 'must be a 16-character asset id'));

/** An optional asset reference; `null` and `""` become `null`. */
export const assetReference = z.union([
  assetId,
  z.pipe(
    z.union([z.null(), z.literal('')]),
    z.transform(() => null),
  ),
]);

/** Decimal degrees as text or number, converted to text of at most six decimals. Such a text stays as sent. */
export const degrees = (limit: number) =>
  z.pipe(
    z
      .union([z.string(), z.number(), z.null()])
      .check(
        z.refine(
          (value) => value === null || value === '' || isDegrees(value, limit),
          `must be a number between -${limit} and ${limit}`,
        ),
      ),
    z.transform(toDegrees),
  );
/** Accepts many decimals: some languages print all fifty of a double. */
const decimal = /^[+-]?\d{1,3}(\.\d{1,100})?$/;
const isDegrees = (value: string | number, limit: number): boolean =>
  (typeof value === 'number' || decimal.test(value)) && Math.abs(Number(value)) <= limit;
function toDegrees(value: string | number | null): string | null {
  if (value === null || value === '') return null;
  if (typeof value === 'string' && /^-?\d{1,3}(\.\d{1,6})?$/.test(value)) return value;
  return String(Number(Number(value).toFixed(6)));
}

/** A number or numeric text of up to three digits, converted to text (`5` → "5", "05" stays). */
export const threeDigits = z.pipe(
  z.union([
    z.int().check(z.gte(0), z.lte(999)),
    z.string().check(z.regex(/^\d{1,3}$/, 'must be a number of up to three digits')),
  ]),
  z.transform(String),
);

/** A stop's number or numeric text. 999 is the warehouse. */
export const stopNumber = z
  .pipe(threeDigits, z.transform(Number))
  .check(z.refine((n) => n > 0, 'must be between 1 and 999'));
