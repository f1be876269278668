// negotiator 1.0 has no types, and those of DefinitelyTyped lack `preferred`.
declare module 'negotiator' {
  export default class Negotiator {
    constructor(request: { readonly headers: Readonly<Record<string, unknown>> });
    /** The caller's Accept-Encoding among `available`, best first; `preferred` orders equal ones. */
    encodings<Encoding extends string>(
      available: readonly Encoding[],
      options?: { readonly preferred?: readonly Encoding[] },
    ): Encoding[];
  }
}
