/** A recorded call of an operation on the documented demo data. */
export interface Example {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  /** JSON, or the parts of a form by name. */
  readonly body?: unknown;
  /** The whole answer where it is JSON or a page. */
  readonly answer?: unknown;
}

/** By operation. */
export type Examples = Readonly<Record<string, Example>>;
