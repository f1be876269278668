/**
 * The part of `zod/mini` that the protocol's schemas are written with, for phones: the same values and the same issues
 * at a tenth of its weight. `#schema` (package.json) is zod itself on Node and in the type checker, and this module
 * elsewhere, so a schema is written once. `tests/protocol/light-schema.test.ts` holds every schema of the protocol
 * against zod; what no schema uses is not here, and a schema that uses more fails that test.
 */
import { checked, custom, fail, isAborted, isRecord } from './light-checks.ts';
import type { Check, Issue } from './light-checks.ts';

export { gte, lte, maxLength, minLength, refine, regex } from './light-checks.ts';

/** What becomes of a value; what is wrong with it goes to `issues`. */
type Read = (value: unknown, issues: Issue[]) => unknown;

/** What zod calls optin and optout: whether an object may lack the key, and what then becomes of it. */
interface Absence {
  readonly optin?: 'optional' | 'defaulted' | undefined;
  readonly optout?: boolean | undefined;
}

type Shape = Readonly<Record<string, LightSchema>>;
type Parsed =
  | { readonly success: true; readonly data: unknown }
  | { readonly success: false; readonly error: { readonly issues: readonly Issue[] } };

interface LightSchema extends Absence {
  readonly read: Read;
  readonly shape: Shape;
  /** Literals and enumerations: what they accept. */
  readonly def: { readonly values: readonly unknown[] };
  check(...checks: readonly Check[]): LightSchema;
  safeParse(value: unknown): Parsed;
  parse(value: unknown): unknown;
}

function schema(read: Read, absence: Absence = {}, shape: Shape = {}, values: readonly unknown[] = []): LightSchema {
  const { optin, optout } = absence;
  const safeParse = (value: unknown): Parsed => {
    const issues: Issue[] = [];
    const data = read(value, issues);
    return issues.length > 0 ? { success: false, error: { issues } } : { success: true, data };
  };
  return {
    read,
    optin,
    optout,
    shape,
    def: { values },
    check: (...checks) => schema(checked(read, checks), absence, shape, values),
    safeParse,
    parse(value) {
      const parsed = safeParse(value);
      if (parsed.success) return parsed.data;
      throw new Error(parsed.error.issues.map(({ path, message }) => `${path.join('.')} ${message}`).join('; '));
    },
  };
}

const typed = (expected: string, accepts: (value: unknown) => boolean): LightSchema =>
  schema((value, issues) => {
    if (!accepts(value)) fail(issues, { code: 'invalid_type', expected });
    return value;
  });

// Texts and numbers have no state, and a check makes another schema: one of each is enough.
const anyText = typed('string', (value) => typeof value === 'string');
const anyNumber = typed('number', Number.isFinite);
const anyFlag = typed('boolean', (value) => typeof value === 'boolean');
const noValue = typed('null', (value) => value === null);
const whole = anyNumber.check(
  {
    look(value, issues) {
      if (Number.isInteger(value)) return;
      fail(issues, { code: 'invalid_type', expected: 'int', continue: false });
    },
  },
  custom(
    { code: 'too_big', maximum: Number.MAX_SAFE_INTEGER, origin: 'int' },
    (value) => Number(value) <= Number.MAX_SAFE_INTEGER,
  ),
  custom(
    { code: 'too_small', minimum: Number.MIN_SAFE_INTEGER, origin: 'int' },
    (value) => Number(value) >= Number.MIN_SAFE_INTEGER,
  ),
);

export const string = (): LightSchema => anyText;
export const number = (): LightSchema => anyNumber;
export const boolean = (): LightSchema => anyFlag;
export const int = (): LightSchema => whole;
export const unknown = (): LightSchema => schema((value) => value);
const none = (): LightSchema => noValue;
const oneOf = (values: readonly unknown[]): LightSchema =>
  schema(
    (value, issues) => {
      if (!values.includes(value)) fail(issues, { code: 'invalid_value', values });
      return value;
    },
    {},
    {},
    values,
  );
export const literal = (value: unknown): LightSchema => oneOf([value]);
export { none as null, oneOf as enum };

export const file = (): LightSchema => typed('file', (value) => value instanceof File);

/** RFC 9562; also the nil and the max UUID. */
export const uuid = (): LightSchema =>
  anyText.check(custom({ code: 'invalid_format', format: 'uuid' }, (value) => uuidForm.test(String(value))));
const uuidForm =
  /^([\da-fA-F]{8}-[\da-fA-F]{4}-[1-8][\da-fA-F]{3}-[89abAB][\da-fA-F]{3}-[\da-fA-F]{12}|0{8}-(0{4}-){3}0{12}|f{8}-(f{4}-){3}f{12})$/;

/** A day that exists, RFC 3339's time with seconds, and `Z`; with `offset` also `+hh:mm`. */
export const iso = {
  datetime: ({ offset = false } = {}): LightSchema =>
    anyText.check(
      custom({ code: 'invalid_format', format: 'datetime' }, (value) => {
        const [, day = '', zone] = time.exec(String(value)) ?? [];
        const date = new Date(`${day}T00:00:00Z`);
        return (
          (zone === 'Z' || (offset && zone !== undefined)) && +date === +date && date.toISOString().startsWith(day)
        );
      }),
    ),
};
const time = /^(\d{4}-\d\d-\d\d)T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

export const nullable = (inner: LightSchema): LightSchema =>
  schema((value, issues) => (value === null ? null : inner.read(value, issues)), inner);

export const optional = (inner: LightSchema): LightSchema => {
  const defaulted = inner.optin === 'defaulted';
  return schema((value, issues) => (value === undefined && !defaulted ? undefined : inner.read(value, issues)), {
    optin: defaulted ? 'defaulted' : 'optional',
    optout: true,
  });
};

export const nullish = (inner: LightSchema): LightSchema => optional(nullable(inner));

export const _default = (inner: LightSchema, value: unknown): LightSchema =>
  schema((given, issues) => (given === undefined ? value : (inner.read(given, issues) ?? value)), {
    optin: 'defaulted',
  });

export const transform = (change: (value: unknown) => unknown): LightSchema => schema(change, { optin: 'optional' });

/** What fails in the first reaches the second never. */
export const pipe = (first: LightSchema, second: LightSchema): LightSchema =>
  schema(
    (value, issues) => {
      const before = issues.length;
      const read = first.read(value, issues);
      if (issues.length === before) return second.read(read, issues);
      for (const issue of issues.slice(before)) issue.aborts = true;
      return read;
    },
    { optin: first.optin, optout: second.optout },
  );

/** The first that accepts; where just one came as far as its checks, its issues are the ones that help. */
export const union = (options: readonly LightSchema[], message?: string): LightSchema =>
  schema(
    (value, issues) => {
      const near: { read: unknown; found: Issue[] }[] = [];
      for (const option of options) {
        const found: Issue[] = [];
        const read = option.read(value, found);
        if (found.length === 0) return read;
        if (!isAborted(found)) near.push({ read, found });
      }
      const [only, another] = near;
      if (only && !another) {
        issues.push(...only.found);
        return only.read;
      }
      fail(issues, { code: 'invalid_union', message });
      return value;
    },
    {
      optin: options.some(({ optin }) => optin === 'defaulted')
        ? 'defaulted'
        : options.find(({ optin }) => optin !== undefined)?.optin,
      optout: options.some(({ optout }) => optout),
    },
  );

export const discriminatedUnion = (key: string, options: readonly LightSchema[]): LightSchema => {
  const byValue = new Map(options.flatMap((option) => option.shape[key]!.def.values.map((value) => [value, option])));
  return schema((value, issues) => {
    if (!isRecord(value)) fail(issues, { code: 'invalid_type', expected: 'object' });
    else {
      const option = byValue.get(value[key]);
      if (option) return option.read(value, issues);
      fail(issues, { code: 'invalid_union', path: [key] });
    }
    return value;
  });
};

export const array = (item: LightSchema): LightSchema =>
  schema((value, issues) => {
    if (Array.isArray(value)) return value.map((each, i) => readPart(item, each, i, issues));
    fail(issues, { code: 'invalid_type', expected: 'array' });
    return value;
  });

export const record = (_key: LightSchema, item: LightSchema): LightSchema =>
  schema((value, issues) => {
    if (!isRecord(value)) {
      fail(issues, { code: 'invalid_type', expected: 'record' });
      return value;
    }
    const result: Record<string, unknown> = {};
    for (const key of Object.keys(value)) {
      if (key === '__proto__') continue;
      const wrong: Issue[] = [];
      _key.read(key, wrong);
      if (wrong.length > 0) fail(issues, { code: 'invalid_key', path: [key] });
      else result[key] = readPart(item, value[key], key, issues);
    }
    return result;
  });

/** Any JSON value; what `JSON.parse` gave is nothing else. */
export const json = (): LightSchema => {
  const value: LightSchema = schema((given, issues) => any.read(given, issues));
  const any = union([anyText, anyNumber, anyFlag, noValue, array(value), record(anyText, value)]);
  return value;
};

/** Members that the shape does not name are left out. */
export const object = (shape: Shape): LightSchema => objectOf(shape, false);
/** Members that the shape does not name are wrong. */
export const strictObject = (shape: Shape): LightSchema => objectOf(shape, true);
export const omit = ({ shape }: LightSchema, names: Readonly<Record<string, true>>): LightSchema =>
  object(Object.fromEntries(Object.entries(shape).filter(([name]) => !names[name])));

function objectOf(shape: Shape, strict: boolean): LightSchema {
  const members = Object.entries(shape);
  const read: Read = (value, issues) => {
    if (!isRecord(value)) {
      fail(issues, { code: 'invalid_type', expected: 'object' });
      return value;
    }
    const result: Record<string, unknown> = {};
    for (const [key, member] of members) readMember(member, key, value, result, issues);
    if (strict && Object.keys(value).some((key) => !Object.hasOwn(shape, key)))
      fail(issues, { code: 'unrecognized_keys', continue: true });
    return result;
  };
  return schema(read, {}, shape);
}

function readMember(
  member: LightSchema,
  key: string,
  value: Record<string, unknown>,
  result: Record<string, unknown>,
  issues: Issue[],
): void {
  const { optin, optout } = member;
  const present = key in value;
  // Nothing is said of what may be absent, and is.
  if (!present && optout && optin === 'optional') return;
  const before = issues.length;
  const read = readPart(member, value[key], key, issues);
  if (!present && optout && optin && issues.length > before) {
    issues.length = before;
    return;
  }
  if (!present && optin === undefined) {
    if (issues.length === before) fail(issues, { code: 'invalid_type', expected: 'nonoptional', path: [key] });
    return;
  }
  if (read !== undefined || present || (optin === 'defaulted' && !optout)) result[key] = read;
}

/** Reads a member or an entry; its issues begin with where it stands. */
function readPart(part: LightSchema, value: unknown, at: string | number, issues: Issue[]): unknown {
  const before = issues.length;
  const read = part.read(value, issues);
  // Nearly always there are none, and no list has to be made.
  if (issues.length > before)
    for (const issue of issues.slice(before)) {
      issue.path.unshift(at);
      issue.aborts = false;
    }
  return read;
}
