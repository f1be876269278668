/**
 * The subset of `zod/mini` that the protocol's schemas use, for phones, at a tenth of the size. It returns the same
 * values and the first issue. `#schema` (package.json) is zod on Node and in the type checker, and this module elsewhere,
 * so each schema exists once. `tests/protocol/light-schema.test.ts` compares every schema of the protocol with zod; a
 * schema that uses more than this subset fails that test.
 */
import { isDay } from './days.ts';
import { checked, fail, gte, isRecord, lte, refine } from './light-checks.ts';
import type { Checks, Finding, Issue } from './light-checks.ts';

export { gte, lte, maxLength, minLength, overwrite, refine, regex } from './light-checks.ts';

/** Returns the parsed value and adds its faults to `issues`. */
type Read = (value: unknown, issues: Issue[]) => unknown;

type Shape = Readonly<Record<string, LightSchema>>;
type Parsed =
  | { readonly success: true; readonly data: unknown }
  | { readonly success: false; readonly error: { readonly issues: readonly Issue[] } };

interface LightSchema {
  /** The members of an object schema. */
  readonly shape?: Shape | undefined;
  readonly read: Read;
  check(...checks: Checks): LightSchema;
  /** @param options `error` describes an issue whose schema has no words of its own */
  safeParse(value: unknown, options?: { readonly error: (issue: RawIssue) => string }): Parsed;
}

type RawIssue = Issue & { readonly code: string };

const schema = (read: Read, shape?: Shape): LightSchema => ({
  shape,
  read,
  check: (...checks) => schema(checked(read, checks), shape),
  safeParse(value, options) {
    const issues: Issue[] = [];
    const data = read(value, issues);
    for (const issue of issues) issue.message ??= options?.error({ ...issue, code: codeOf(issue) }) ?? 'Invalid input';
    return issues.length > 0 ? { success: false, error: { issues } } : { success: true, data };
  },
});

function codeOf({ expected, values, maximum, minimum }: Issue): string {
  if (expected) return 'invalid_type';
  if (values) return 'invalid_value';
  return maximum === undefined ? (minimum === undefined ? 'custom' : 'too_small') : 'too_big';
}

/** A schema of values that `accepts` recognizes; `read` transforms them. */
const formed = <Value>(
  accepts: (value: unknown) => value is Value,
  finding: Finding,
  read: (value: Value, issues: Issue[]) => unknown = (value) => value,
  shape?: Shape,
): LightSchema =>
  schema((value, issues) => {
    if (accepts(value)) return read(value, issues);
    fail(issues, finding);
    return value;
  }, shape);

// These schemas have no state, and `check` returns another schema: one instance of each is enough.
const anyText = formed((value): value is string => typeof value === 'string', { expected: 'string' });
const anyNumber = formed((value): value is number => Number.isFinite(value), { expected: 'number' });
const anyFlag = formed((value): value is boolean => typeof value === 'boolean', { expected: 'boolean' });
const anyValue = schema((value) => value);
const noValue = formed((value) => value === null, { expected: 'null' });
const whole = anyNumber.check(
  { finding: { expected: 'int', isOfCheck: false }, accepts: Number.isInteger },
  lte(Number.MAX_SAFE_INTEGER),
  gte(Number.MIN_SAFE_INTEGER),
);

export const string = (): LightSchema => anyText;
export const number = (): LightSchema => anyNumber;
export const boolean = (): LightSchema => anyFlag;
export const int = (): LightSchema => whole;
/** Any JSON value; as a member it is required. */
export const unknown = (): LightSchema => anyValue;
const none = (): LightSchema => noValue;
const oneOf = (values: readonly unknown[]): LightSchema =>
  formed((value): value is unknown => values.includes(value), { values });
export const literal = (value: unknown): LightSchema => oneOf([value]);
export { none as null, oneOf as enum };

export const file = (): LightSchema => formed((value) => value instanceof File, { expected: 'file' });

/** RFC 9562; also the nil and the max UUID. */
export const uuid = (): LightSchema => anyText.check(refine((value) => uuidForm.test(String(value))));
const uuidForm =
  /^([\da-fA-F]{8}-[\da-fA-F]{4}-[1-8][\da-fA-F]{3}-[89abAB][\da-fA-F]{3}-[\da-fA-F]{12}|0{8}-(0{4}-){3}0{12}|f{8}-(f{4}-){3}f{12})$/;

/** An existing day, RFC 3339's time with seconds, and `Z`; with `offset` also `+hh:mm`. */
export const iso = {
  datetime: (params?: { readonly offset: boolean }): LightSchema =>
    anyText.check(
      refine((given) => {
        const value = String(given);
        return time.test(value) && (params?.offset || value.endsWith('Z')) && isDay(value.slice(0, 10));
      }),
    ),
};
const time = /^\d{4}-\d\d-\d\dT([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d+)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/;

export const nullable = (inner: LightSchema): LightSchema =>
  schema((value, issues) => (value === null ? null : inner.read(value, issues)));

export const nullish = (inner: LightSchema): LightSchema => optional(nullable(inner));

export const _default = (inner: LightSchema, value: unknown): LightSchema =>
  schema((given, issues) => (given === undefined ? value : inner.read(given, issues)));

export const optional = (inner: LightSchema): LightSchema => _default(inner, undefined);

export const transform: (change: (value: unknown) => unknown) => LightSchema = schema;

/** A value that the first schema refuses does not reach the second. */
export const pipe = (first: LightSchema, second: LightSchema): LightSchema =>
  schema((value, issues) => {
    const before = issues.length;
    const read = first.read(value, issues);
    if (issues.length === before) return second.read(read, issues);
    // For a union, a refused value has another form.
    for (const issue of issues.slice(before)) issue.isOfCheck = false;
    return read;
  });

/** The first accepting option. If exactly one option failed in its checks alone, the union reports its issues. */
export const union = (options: readonly LightSchema[], message?: string): LightSchema =>
  schema((value, issues) => {
    const near: Issue[][] = [];
    for (const option of options) {
      const found: Issue[] = [];
      const read = option.read(value, found);
      if (found.length === 0) return read;
      if (found.every((issue) => issue.isOfCheck)) near.push(found);
    }
    const [only, another] = near;
    if (only && !another) issues.push(...only);
    else fail(issues, { message });
    return value;
  });

export const discriminatedUnion = (key: string, options: readonly LightSchema[]): LightSchema =>
  formed(isRecord, { expected: 'object' }, (value, issues) => {
    const option = options.find(({ shape }) => shape?.[key]?.safeParse(value[key]).success);
    if (option) return option.read(value, issues);
    fail(issues, { path: [key] });
    return value;
  });

export const array = (item: LightSchema): LightSchema =>
  formed(
    (value): value is unknown[] => Array.isArray(value),
    { expected: 'array' },
    (value, issues) => value.map((each, i) => readPart(item, each, i, issues)),
  );

export const record = (names: LightSchema, item: LightSchema): LightSchema =>
  formed(isRecord, { expected: 'record' }, (value, issues) => {
    const result: Record<string, unknown> = {};
    for (const key of Object.keys(value)) {
      if (key === '__proto__') continue;
      if (names.safeParse(key).success) result[key] = readPart(item, value[key], key, issues);
      else fail(issues, { path: [key] });
    }
    return result;
  });

/** Any JSON value, such as a result of `JSON.parse`. */
export const json = (): LightSchema => {
  const value: LightSchema = schema((given, issues) => any.read(given, issues));
  const any = union([anyText, anyNumber, anyFlag, noValue, array(value), record(anyText, value)]);
  return value;
};

/** Omits members that the shape does not name. */
export const object = (shape: Shape): LightSchema => {
  const members = Object.entries(shape);
  const read = (value: Record<string, unknown>, issues: Issue[]): unknown => {
    const result: Record<string, unknown> = {};
    for (const [key, member] of members) {
      const part = readPart(member, value[key], key, issues);
      if (part !== undefined || key in value) result[key] = part;
      else if (member === anyValue) fail(issues, { expected: 'nonoptional', path: [key] });
    }
    return result;
  };
  return formed(isRecord, { expected: 'object' }, read, shape);
};

/** Refuses members that the shape does not name. */
export const strictObject = (shape: Shape): LightSchema => {
  const named = object(shape);
  const read: Read = (value, issues) => {
    if (isRecord(value) && Object.keys(value).some((key) => !Object.hasOwn(shape, key)))
      fail(issues, { isOfCheck: true });
    return named.read(value, issues);
  };
  return schema(read, shape);
};

export const omit = ({ shape = {} }: LightSchema, names: Readonly<Record<string, true>>): LightSchema =>
  object(Object.fromEntries(Object.entries(shape).filter(([name]) => !names[name])));

/** Parses a member or an entry; the paths of its issues begin with its key. */
function readPart(part: LightSchema, value: unknown, at: string | number, issues: Issue[]): unknown {
  const before = issues.length;
  const read = part.read(value, issues);
  // The common case has no issues and needs no copy of the list.
  if (issues.length > before) for (const { path } of issues.slice(before)) path.unshift(at);
  return read;
}
