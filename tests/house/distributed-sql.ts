/**
 * SQL that PostgreSQL takes and a distributed one (Citus, a schema a cell) refuses or runs elsewhere. Each rule has its
 * error in decision 183.
 */
export interface SqlText {
  readonly name: string;
  readonly text: string;
}

interface SqlRule {
  readonly message: string;
  readonly breaks: (text: string) => boolean;
}

const volatile = String.raw`\b(now|clock_timestamp|statement_timestamp|gen_random_uuid|random)\s*\(|\bcurrent_(timestamp|date)\b`;
const modifying = /\bas\s+(not\s+)?(materialized\s*)?\(\s*(insert\s+into|update|delete\s+from)\b/;

const rules: readonly SqlRule[] = [
  {
    message: 'pg_notify, advisory locks and set_config are statements of their own, without a table',
    breaks: (text) =>
      /\b(pg_notify|pg_(try_)?advisory_\w+|set_config)\s*\(/.test(text) &&
      /\b(insert\s+into|update|delete\s+from|from|join)\s+(?!(unnest|set_config|pg_notify)\b)/.test(text),
  },
  {
    message: 'no now() and no other function of the moment within "on conflict": take the column of excluded',
    breaks: (text) => conflicts(text).some((part) => new RegExp(volatile).test(part)),
  },
  {
    message: 'no parameter within "on conflict": take a column of excluded',
    breaks: (text) => conflicts(text).some((part) => /\$\d/.test(part)),
  },
  {
    message: 'no sum with an interval within "on conflict": timestamptz + interval is stable, later() is immutable',
    breaks: (text) => conflicts(text).some((part) => /[+-]\s*interval\b/.test(part)),
  },
  {
    message: 'no modifying query before insert … select: two statements',
    breaks: (text) => modifying.test(text) && /^insert\s+into\s[\s\S]*\bselect\b/.test(mainOf(text)),
  },
  {
    message: 'a target list has a column, except within exists',
    breaks: (text) => /(?<!\bexists\s?\(\s*)\bselect\s+from\b/.test(text),
  },
  {
    message: 'no concat_ws in a statement that updates: a || b',
    breaks: (text) => /\bupdate\s+\w+[\s\S]*\bset\b/.test(text) && /\bconcat_ws\s*\(/.test(text),
  },
  {
    message: 'no now() within coalesce or case of an update: a parameter',
    breaks: (text) =>
      /\bupdate\s+\w+[\s\S]*\bset\b/.test(text) &&
      [...calls(text, /\bcoalesce\s*\(/g), ...(text.match(/\bcase\b[\s\S]*?\bend\b/g) ?? [])].some((part) =>
        new RegExp(volatile).test(part),
      ),
  },
  {
    message: 'columns of a query in "with" are named inside it, not behind its name',
    breaks: (text) =>
      /(\bwith\s+(recursive\s+)?|\)\s*,\s*)\w+\s*\([\w\s,]*\)\s+as\s+(not\s+)?(materialized\s*)?\(/.test(text),
  },
];

/** The parts of a statement that a distributed PostgreSQL refuses. */
export function distributedFaults({ name, text }: SqlText): string[] {
  const plain = text
    .replaceAll(/'[^']*'/g, "''")
    .replaceAll(/--[^\n]*/g, '')
    .toLowerCase();
  return rules.filter(({ breaks }) => breaks(plain)).map(({ message }) => `${name}: ${message}`);
}

/** Each "on conflict", up to "returning", its closing bracket or the end. */
function conflicts(text: string): string[] {
  return [...text.matchAll(/\bon\s+conflict\b/g)].map(({ index }) => {
    let depth = 0;
    for (let at = index; at < text.length; at++) {
      if (text[at] === '(') depth++;
      if (text[at] === ')' && --depth < 0) return text.slice(index, at);
      if (depth === 0 && text.startsWith('returning', at)) return text.slice(index, at);
    }
    return text.slice(index);
  });
}

/** The arguments of each call whose beginning `opening` finds. */
function calls(text: string, opening: RegExp): string[] {
  return [...text.matchAll(opening)].map(({ 0: start, index }) => {
    let depth = 1;
    let at = index + start.length;
    for (; at < text.length && depth > 0; at++) depth += text[at] === '(' ? 1 : text[at] === ')' ? -1 : 0;
    return text.slice(index, at);
  });
}

/** The statement behind its "with". */
function mainOf(text: string): string {
  if (!/^\s*with\b/.test(text)) return text.trimStart();
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '(') depth++;
    if (text[at] === ')') depth--;
    if (
      depth === 0 &&
      /^\b(insert|update|delete|select)\b/.test(text.slice(at, at + 8)) &&
      /\W/.test(text[at - 1] ?? ' ')
    )
      return text.slice(at);
  }
  return '';
}

/** Statements among the exports of a module, in objects and lists of them, too. */
export function statementsAmong(value: unknown, name: string, seen = new Set<unknown>()): SqlText[] {
  if (typeof value === 'string')
    return /^\s*(select|insert|update|delete|with)\s/i.test(value) ? [{ name, text: value }] : [];
  if (typeof value !== 'object' || value === null || seen.has(value)) return [];
  seen.add(value);
  if ('text' in value && typeof value.text === 'string')
    return [{ name: 'name' in value && typeof value.name === 'string' ? value.name : name, text: value.text }];
  const inner = value instanceof Map ? [...value] : Object.entries(value);
  return inner.flatMap(([key, one]) => statementsAmong(one, `${name} ${String(key)}`, seen));
}
