// negotiator 1.0 brings no types, and those of DefinitelyTyped know nothing of `preferred`.
declare module 'negotiator' {
  export default class Negotiator {
    constructor(request: { readonly headers: Readonly<Record<string, unknown>> });
    /** The caller's Accept-Encoding among `available`, best first; equals as `preferred` has them. */
    encodings<Encoding extends string>(
      available: readonly Encoding[],
      options?: { readonly preferred?: readonly Encoding[] },
    ): Encoding[];
  }
}
