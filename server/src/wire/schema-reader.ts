import type {
  $ZodCheck,
  $ZodChecks,
  $ZodCustom,
  $ZodNumberDef,
  $ZodShape,
  $ZodStringDef,
  $ZodType,
  $ZodTypes,
  output,
  SomeType,
} from 'zod/v4/core';
import { Doc, safeParse, util } from 'zod/v4/core';

/** The value that zod would return for an accepted value, else `NEEDS_ZOD`. */
type Accept = (value: unknown) => unknown;
type Test = (value: unknown) => boolean;
/** The result of a compiled schema for a value that zod itself must check, mostly a wrong one. */
const NEEDS_ZOD: unique symbol = Symbol('ask zod');

/**
 * `safeParse` of a schema, compiled for values that are nearly always valid. It returns zod's result at a quarter of
 * the cost, without the records for issues. It compiles the kinds of schema that mutations contain and leaves others to
 * zod. It never rejects a value: zod reads such a value again and writes the messages.
 */
export function compileReader<Schema extends $ZodType>(schema: Schema) {
  const accept = compile(schema);
  return (value: unknown) => {
    const data = accept(value);
    return data === NEEDS_ZOD ? safeParse(schema, value) : { success: true as const, data };
  };
}

function compile<Schema extends $ZodType>(schema: Schema): (value: unknown) => output<Schema> | typeof NEEDS_ZOD;
function compile(schema: SomeType): Accept;
function compile(schema: SomeType): Accept {
  if (!isZods(schema)) throw new TypeError('not a schema of zod');
  const steps = (schema._zod.def.checks ?? []).map((check) => (isZodsCheck(check) ? compileCheck(check) : undefined));
  const known = steps.filter((step) => step !== undefined);
  const accept = acceptKind(schema);
  if (!accept || known.length < steps.length) return deferToZod(schema);
  return known.reduce(inTurn, accept);
}

/** zod's documented way for libraries: every schema is one of `$ZodTypes`, by `def.type`. */
const isZods = (schema: SomeType): schema is $ZodTypes => 'def' in schema._zod && 'type' in schema._zod.def;
const isZodsCheck = (check: $ZodCheck): check is AnyCheck => 'check' in check._zod.def;
type AnyCheck = ($ZodChecks | $ZodCustom) & $ZodCheck;

function deferToZod(schema: $ZodType): Accept {
  return (value) => {
    const parsed = safeParse(schema, value);
    return parsed.success ? parsed.data : NEEDS_ZOD;
  };
}

/** The schema without its checks; undefined for a kind that mutations do not contain. */
function acceptKind({ _zod: { def } }: $ZodTypes): Accept | undefined {
  switch (def.type) {
    case 'string':
      return acceptString(def);
    case 'number':
      return acceptNumber(def);
    case 'boolean':
      return only((value) => typeof value === 'boolean');
    case 'null':
      return only((value) => value === null);
    case 'unknown':
      return (value) => value;
    case 'enum':
      return oneOf(Object.values(def.entries));
    case 'literal':
      return oneOf(def.values);
    case 'nullable':
      return or(null, compile(def.innerType));
    case 'optional':
      return def.innerType._zod.optin === 'defaulted' ? undefined : or(undefined, compile(def.innerType));
    case 'default':
      return orDefault(() => def.defaultValue, compile(def.innerType));
    case 'union':
      return 'discriminator' in def || def.inclusive === false
        ? undefined
        : firstOf(def.options.map((option) => compile(option)));
    case 'array':
      return eachOf(compile(def.element));
    case 'object':
      return def.catchall || !util.allowsEval.value ? undefined : acceptObject(def.shape);
    case 'pipe':
      return def.reverseTransform ? undefined : inTurn(compile(def.in), compile(def.out));
    case 'transform':
      // A transform with a second parameter may report issues of its own.
      return def.transform.length > 1 ? undefined : (value) => def.transform(value, { value, issues: [] });
    default:
      return undefined;
  }
}

const only =
  (test: Test): Accept =>
  (value) =>
    test(value) ? value : NEEDS_ZOD;

function oneOf(values: readonly unknown[]): Accept {
  const known = new Set(values);
  return only((value) => known.has(value));
}

const or =
  (nothing: null | undefined, accept: Accept): Accept =>
  (value) =>
    value === nothing ? value : accept(value);

const orDefault =
  (fallback: () => unknown, accept: Accept): Accept =>
  (value) => {
    const out = value === undefined ? undefined : accept(value);
    return out === undefined ? fallback() : out;
  };

const inTurn =
  (first: Accept, second: Accept): Accept =>
  (value) => {
    const out = first(value);
    return out === NEEDS_ZOD ? NEEDS_ZOD : second(out);
  };

function firstOf(options: readonly Accept[]): Accept {
  return (value) => {
    for (const accept of options) {
      const out = accept(value);
      if (out !== NEEDS_ZOD) return out;
    }
    return NEEDS_ZOD;
  };
}

function eachOf(accept: Accept): Accept {
  return (value) => {
    if (!Array.isArray(value)) return NEEDS_ZOD;
    const all: unknown[] = [];
    for (const element of value) {
      const out = accept(element);
      if (out === NEEDS_ZOD) return NEEDS_ZOD;
      all.push(out);
    }
    return all;
  };
}

/** As generated code, like zod's own. Each field then has its own call site, which the engine inlines. */
function acceptObject(shape: $ZodShape): Accept {
  const fields = Object.entries(shape);
  const accepts = Object.fromEntries(fields.map(([, schema], n) => [`accept${n}`, compile(schema)]));
  const code = new Doc(['value'], { ...accepts, isRecord, NEEDS_ZOD });
  code.write(`if (!isRecord(value)) return NEEDS_ZOD;`);
  code.write(`const result = {};`);
  for (const [n, [name]] of fields.entries()) {
    const key = JSON.stringify(name);
    code.write(`const field${n} = accept${n}(value[${key}]);`);
    code.write(`if (field${n} === NEEDS_ZOD) return NEEDS_ZOD;`);
    code.write(`if (field${n} !== undefined || ${key} in value) result[${key}] = field${n};`);
  }
  code.write(`return result;`);
  const compiler: { compile(): Accept } = code;
  return compiler.compile();
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function acceptString(def: $ZodStringDef): Accept | undefined {
  const text = only((value) => typeof value === 'string');
  if (def.coerce) return undefined;
  if (!('check' in def)) return text;
  return isDateTime(def) ? inTurn(text, only(matching(def.pattern))) : undefined;
}

const isDateTime = (def: object): def is { pattern: RegExp } =>
  'format' in def && def.format === 'datetime' && 'pattern' in def && def.pattern instanceof RegExp;

function acceptNumber(def: $ZodNumberDef): Accept | undefined {
  if (def.coerce) return undefined;
  if (!('check' in def)) return only((value) => typeof value === 'number' && Number.isFinite(value));
  return 'format' in def && def.format === 'safeint' ? only(Number.isSafeInteger) : undefined;
}

/** A check tests a value or replaces it. */
function compileCheck(check: AnyCheck): Accept | undefined {
  const { def } = check._zod;
  if (def.check === 'overwrite') return (value) => def.tx(value);
  const test = compileTest(check);
  return test && only(test);
}

function compileTest({ _zod: { def } }: AnyCheck): Test | undefined {
  switch (def.check) {
    case 'max_length':
      return (value) => lengthOf(value) <= def.maximum;
    case 'min_length':
      return (value) => lengthOf(value) >= unitsOf(value, def.minimum);
    case 'less_than':
      return def.inclusive ? atMost(Number(def.value)) : undefined;
    case 'greater_than':
      return def.inclusive ? atLeast(Number(def.value)) : undefined;
    case 'string_format':
      return def.format === 'regex' && def.pattern?.flags === '' ? matching(def.pattern) : undefined;
    case 'custom':
      return (value) => Boolean(def.fn(value));
    default:
      return undefined;
  }
}

const matching =
  (pattern: RegExp): Test =>
  (value) =>
    typeof value === 'string' && pattern.test(value);

const atMost =
  (limit: number): Test =>
  (value) =>
    Number(value) <= limit;

const atLeast =
  (limit: number): Test =>
  (value) =>
    Number(value) >= limit;

/** zod counts code points, each at most two units. A text with this many units is long enough in any case. */
const unitsOf = (value: unknown, points: number): number =>
  typeof value === 'string' && points > 1 ? 2 * points : points;

const lengthOf = (value: unknown): number => (typeof value === 'string' || Array.isArray(value) ? value.length : NaN);
