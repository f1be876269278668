import * as z from 'zod';

/**
 * `off`: the service neither reads nor writes the facility's routes. `shadow`: it reads them and writes nothing. `live`: it
 * does both.
 */
export const hostModes = ['off', 'shadow', 'live'] as const;
export type HostMode = (typeof hostModes)[number];

/** LEGACY_MODE: a default, and the facilities with a mode of their own. */
export interface LegacyModes {
  readonly otherwise: HostMode;
  readonly facilities: ReadonlyMap<string, HostMode>;
}

const expected = `expected ${hostModes.join(', ')}, then FACILITY=MODE for others, such as off,F01=shadow,F02=live`;

/** `live`, `off,F01=shadow,F02=live`. */
export function legacyModes() {
  const mode = z.enum(hostModes);
  return z.string().transform((text, context): LegacyModes => {
    const [first = '', ...rest] = text.split(',').map((part) => part.trim());
    const facilities = new Map<string, HostMode>();
    for (const part of rest) {
      const [, facility = '', named] = /^([!-<>-~]{1,5})=(.*)$/.exec(part) ?? [];
      const { data } = mode.safeParse(named);
      if (data === undefined || facilities.has(facility)) return refuse(context);
      facilities.set(facility, data);
    }
    const { data: otherwise } = mode.safeParse(first);
    return otherwise === undefined ? refuse(context) : { otherwise, facilities };
  });
}

function refuse(context: z.RefinementCtx): never {
  context.issues.push({ code: 'custom', message: expected, input: undefined });
  return z.NEVER;
}
