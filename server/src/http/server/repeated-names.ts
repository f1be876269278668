/** What a JSON text is made of beside numbers and words. Whole strings first: a brace in one of them is none. */
const tokens = /"(?:[^"\\]|\\.)*"|[{}[\],:]/gs;

interface Open {
  /** Undefined in an array. */
  readonly names: Set<string> | undefined;
  at: string | number;
}

/** Dotted paths of the names that an object of this JSON text has more than once. Slow: for texts that are refused. */
export function repeatedNames(json: string): string[] {
  const open: Open[] = [];
  const repeated: string[] = [];
  let text = '';
  for (const [token] of json.matchAll(tokens)) {
    const here = open.at(-1);
    if (token === '{') open.push({ names: new Set(), at: '' });
    else if (token === '[') open.push({ names: undefined, at: 0 });
    else if (token === '}' || token === ']') open.pop();
    else if (token === ',') {
      if (here && typeof here.at === 'number') here.at += 1;
    } else if (token !== ':') text = token;
    else if (here?.names) {
      here.at = String(JSON.parse(text));
      if (here.names.has(here.at)) repeated.push(open.map(({ at }) => at).join('.'));
      here.names.add(here.at);
    }
  }
  return repeated;
}
