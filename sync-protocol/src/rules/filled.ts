/** Copies `blank` and replaces members by those of `given` that are neither null nor absent. Ignores other members. */
export function filled<Whole extends object>(
  blank: Whole,
  given: { readonly [Name in keyof Whole]?: Whole[Name] | null | undefined },
): Whole;
export function filled(blank: Readonly<Record<string, unknown>>, given: Readonly<Record<string, unknown>>): unknown {
  const whole = { ...blank };
  for (const name in blank) whole[name] = given[name] ?? blank[name];
  return whole;
}
