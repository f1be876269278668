/** An issue of `light-schema.ts`: the members of zod's issue that error messages use. */
export interface Issue {
  readonly path: (string | number)[];
  /** The schema's own words; `safeParse` adds those of its caller. */
  message: string | undefined;
  readonly expected?: string;
  readonly values?: readonly unknown[];
  readonly maximum?: number;
  readonly minimum?: number;
  readonly origin?: string;
  /** The form is valid, and a check refused the value. */
  isOfCheck?: boolean;
}

export type Finding = Omit<Issue, 'message' | 'path'> & {
  readonly message?: string | undefined;
  readonly path?: string[];
};

export function fail(issues: Issue[], { message, path = [], ...finding }: Finding): void {
  // A copy, because each enclosing schema adds its member to the front.
  issues.push({ ...finding, message, path: [...path] });
}

/**
 * Checks a value that its schema has parsed. `accepts` is a method, so its parameter may be narrower than `unknown`.
 * `finding` is the reported issue.
 */
export interface Check {
  readonly finding: Finding;
  accepts(this: void, value: unknown): boolean;
}

/** Replaces the value. */
type Overwrite = (value: string) => string;
export type Checks = readonly (Check | Overwrite)[];

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Parses a value, then runs the checks up to the first issue: a value has one issue at most. */
export const checked =
  (read: (value: unknown, issues: Issue[]) => unknown, checks: Checks) =>
  (value: unknown, issues: Issue[]): unknown => {
    const before = issues.length;
    let result = read(value, issues);
    for (const check of checks) {
      if (issues.length > before) break;
      const origin = Array.isArray(result) ? 'array' : typeof result;
      if (typeof check === 'function') result = check(String(result));
      else if (!check.accepts(result)) fail(issues, { origin, isOfCheck: true, ...check.finding });
    }
    return result;
  };

/** Counts the code points of a text, as zod does. */
export const maxLength = (maximum: number, message?: string): Check => ({
  finding: { maximum, message },
  accepts: (value: ArrayLike<unknown>) => value.length <= maximum || Array.from(value).length <= maximum,
});

export const minLength = (minimum: number, message?: string): Check => ({
  finding: { minimum, message },
  accepts: (value: ArrayLike<unknown>) => Array.from(value).length >= minimum,
});

export const gte = (minimum: number): Check => ({ finding: { minimum }, accepts: (value: number) => value >= minimum });

export const lte = (maximum: number): Check => ({ finding: { maximum }, accepts: (value: number) => value <= maximum });

/** @param because a message, or a message and the path of its member */
export const refine = (
  accepts: (value: unknown) => boolean,
  because?: string | { readonly error: string; readonly path: string[] },
): Check => ({
  finding: typeof because === 'object' ? { message: because.error, path: because.path } : { message: because },
  accepts,
});

export const regex = (pattern: RegExp, message?: string): Check =>
  refine((value) => pattern.test(String(value)), message);

export const overwrite = (change: Overwrite): Overwrite => change;
