/** An issue of `light-schema.ts`: the members of zod's that its readers use. */
export interface Issue {
  readonly code: string;
  readonly path: (string | number)[];
  readonly message: string;
  readonly expected?: string;
  readonly values?: readonly unknown[];
  readonly maximum?: number;
  readonly minimum?: number;
  readonly origin?: string;
  readonly format?: string;
  /** True: the form is right, checks that follow make sense. False: nothing else is looked at. */
  readonly continue?: boolean;
  /** A pipe ended here; forgotten by whatever holds the pipe's value. */
  aborts?: boolean;
}

type Finding = Omit<Issue, 'message' | 'path'> & { readonly message?: string | undefined; readonly path?: string[] };

export function fail(issues: Issue[], { message = 'Invalid input', path = [], ...finding }: Finding): void {
  // A copy: whoever holds the value puts its own name in front.
  issues.push({ ...finding, message, path: [...path] });
}

/** Looks at a value whose form is right; with `measures` at whatever has a length, as zod does. */
export interface Check {
  readonly look: (value: unknown, issues: Issue[]) => void;
  readonly measures?: boolean;
}

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const isAborted = (issues: readonly Issue[]): boolean =>
  issues.some((issue) => issue.aborts || issue.continue !== true);

const nothing: readonly Issue[] = [];

/** Reads, then looks. */
export const checked =
  (read: (value: unknown, issues: Issue[]) => unknown, checks: readonly Check[]) =>
  (value: unknown, issues: Issue[]): unknown => {
    const before = issues.length;
    const result = read(value, issues);
    for (const { look, measures } of checks) {
      // Nothing is wrong yet: nearly always.
      const found = issues.length > before ? issues.slice(before) : nothing;
      const runs = measures
        ? hasLength(result) && !found.some((issue) => issue.aborts || issue.continue === false)
        : !isAborted(found);
      if (runs) look(result, issues);
    }
    return result;
  };

type Measured = string | { readonly length: number };
const hasLength = (value: unknown): value is Measured =>
  typeof value === 'string' || (typeof value === 'object' && value !== null && 'length' in value);

const originOf = (value: Measured): string =>
  typeof value === 'string' ? 'string' : Array.isArray(value) ? 'array' : 'unknown';

export const custom = (finding: Finding, accepts: (value: unknown) => boolean): Check => ({
  look: (value, issues) => {
    if (!accepts(value)) fail(issues, { ...finding, continue: true });
  },
});

/** Of texts it counts code points, as zod does. */
export const maxLength = (maximum: number, message?: string): Check => ({
  measures: true,
  look: (value, issues) => {
    if (!hasLength(value) || value.length <= maximum) return;
    if (typeof value === 'string' && Array.from(value).length <= maximum) return;
    fail(issues, { code: 'too_big', maximum, origin: originOf(value), message, continue: true });
  },
});

export const minLength = (minimum: number, message?: string): Check => ({
  measures: true,
  look: (value, issues) => {
    if (!hasLength(value) || (typeof value === 'string' ? Array.from(value) : value).length >= minimum) return;
    fail(issues, { code: 'too_small', minimum, origin: originOf(value), message, continue: true });
  },
});

export const gte = (minimum: number): Check =>
  custom({ code: 'too_small', minimum, origin: 'number' }, (value) => Number(value) >= minimum);

export const lte = (maximum: number): Check =>
  custom({ code: 'too_big', maximum, origin: 'number' }, (value) => Number(value) <= maximum);

export const regex = (pattern: RegExp, message?: string): Check =>
  custom({ code: 'invalid_format', format: 'regex', message }, (value) => pattern.test(String(value)));

/** @param because words, or words and the member that they are about */
export const refine = (
  accepts: (value: unknown) => boolean,
  because?: string | { readonly error: string; readonly path: string[] },
): Check => {
  const words = typeof because === 'object' ? { message: because.error, path: because.path } : { message: because };
  return custom({ code: 'custom', ...words }, accepts);
};
