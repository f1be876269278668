/** `blank` with what is given in its place: whatever is neither null nor absent. Other members of `given` are left out. */
export function filled<Whole extends object>(
  blank: Whole,
  given: { readonly [Name in keyof Whole]?: Whole[Name] | null | undefined },
): Whole;
export function filled(blank: Readonly<Record<string, unknown>>, given: Readonly<Record<string, unknown>>): unknown {
  const whole = { ...blank };
  for (const name in blank) whole[name] = given[name] ?? blank[name];
  return whole;
}
