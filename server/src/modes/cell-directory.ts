import * as z from 'zod';

/** CELLS: the address where the drivers of each facility sign in; `otherwise` for all that it does not name. */
export interface CellDirectory {
  readonly otherwise: string;
  readonly facilities: ReadonlyMap<string, string>;
}

const expected =
  'expected an https:// or http:// address, then FACILITY=ADDRESS for others, such as https://pod.example.com,030=https://denver.example.com';

/** `https://pod.example.com,030=https://denver.example.com`. */
export function cellDirectory() {
  return z.string().transform((text, context): CellDirectory => {
    const [first = '', ...rest] = text.split(',').map((part) => part.trim());
    const facilities = new Map<string, string>();
    for (const part of rest) {
      const [, facility = '', named = ''] = /^([!-<>-~]{1,5})=(.*)$/.exec(part) ?? [];
      const address = addressOf(named);
      if (address === undefined || facilities.has(facility)) return refuse(context);
      facilities.set(facility, address);
    }
    const otherwise = addressOf(first);
    return otherwise === undefined ? refuse(context) : { otherwise, facilities };
  });
}

/** The address of a cell, without the slash at its end; undefined for what a phone cannot use. */
function addressOf(text: string): string | undefined {
  const url = URL.parse(text);
  const usable =
    (url?.protocol === 'https:' || url?.protocol === 'http:') && !url.username && !url.password && !/[?#]/.test(text);
  return usable ? url.href.replace(/\/+$/, '') : undefined;
}

function refuse(context: z.RefinementCtx): never {
  context.issues.push({ code: 'custom', message: expected, input: undefined });
  return z.NEVER;
}

/**
 * The address of the cell of a facility.
 * @param facility undefined: not known to the phone
 * @returns null where the answering server is the only cell
 */
export function findCell(directory: CellDirectory | undefined, facility: string | undefined): string | null {
  return directory?.facilities.get(facility ?? '') ?? directory?.otherwise ?? null;
}
