/** A recorded value as people read it. */
export type ShownValue =
  | { readonly is: 'text'; readonly text: string }
  | { readonly is: 'moment'; readonly at: string }
  | { readonly is: 'status'; readonly status: 'P' | 'D' | 'S' | 'R' | 'C' }
  | { readonly is: 'truth'; readonly truth: 'yes' | 'no' };

/** The list in the protocol comes with schemas that the console does not need. */
const isTime = (name: string): boolean => /_(time|timestamp)$/.test(name);
const statuses = ['P', 'D', 'S', 'R', 'C'] as const;

/** @param name of the field. @param value its recorded text; a value of another form stays as it is */
export function shownValue(name: string, value: string): ShownValue {
  if (isTime(name) && !Number.isNaN(Date.parse(value))) return { is: 'moment', at: value };
  const status = name === 'status' ? statuses.find((each) => each === value) : undefined;
  if (status) return { is: 'status', status };
  if (value === 'true' || value === 'false') return { is: 'truth', truth: value === 'true' ? 'yes' : 'no' };
  return { is: 'text', text: textsIn(value)?.join(', ') ?? value };
}

/** The texts of a list, such as ids of photos. */
function textsIn(value: string): readonly string[] | undefined {
  if (!value.startsWith('["')) return undefined;
  try {
    const list: unknown = JSON.parse(value);
    return Array.isArray(list) && list.every((each) => typeof each === 'string') ? list : undefined;
  } catch {
    return undefined;
  }
}
