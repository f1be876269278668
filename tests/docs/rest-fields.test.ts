import { format, resolveConfig } from 'prettier';
import { describe, expect, test } from 'vitest';
import { readText } from '../house/source-file.ts';
import type { Covering } from './field-coverage.ts';
import { coverage } from './field-coverage.ts';
import type { Field, Payload } from './payload-fields.ts';
import { payloads } from './payload-fields.ts';

const page = 'docs/rest-fields.md';
const every = payloads();

const covers = ({ fields }: Covering, { path }: Field): boolean => fields.some((start) => path.startsWith(start));
const coveringOf = ({ name }: Payload): readonly Covering[] => coverage[name] ?? [];

describe('the field table', () => {
  test('every field of the operations table has a test', () => {
    const without = every.flatMap((payload) =>
      payload.fields
        .filter((field) => !coveringOf(payload).some((covering) => covers(covering, field)))
        .map(({ path }) => `${payload.name}: ${path}`),
    );
    expect(every.length).toBeGreaterThan(40);
    expect(without).toEqual([]);
  });

  test('every test that it names exists, and covers a field that exists', () => {
    const dead = Object.entries(coverage).flatMap(([name, coverings]) => {
      const payload = every.find((each) => each.name === name);
      if (!payload) return [`${name} is no payload`];
      return coverings.flatMap((covering) => {
        const { file, title } = covering;
        if (!readText(`tests/${file}`).includes(title)) return [`${name}: ${file} has no "${title}"`];
        return payload.fields.some((field) => covers(covering, field)) ? [] : [`${name}: "${title}" covers no field`];
      });
    });
    expect(dead).toEqual([]);
  });

  // To write it anew: npx vitest run tests/docs/rest-fields.test.ts -u
  test('the page says what the schemas say', async () => {
    const options = (await resolveConfig(page)) ?? {};
    await expect(await format(written(), { ...options, parser: 'markdown' })).toMatchFileSnapshot(`../../${page}`);
  });
});

function written(): string {
  const tests = [...new Set(every.flatMap(coveringOf).map(nameOf))];
  const numberOf = (covering: Covering): number => tests.indexOf(nameOf(covering)) + 1;
  const tables = every.map((payload) => {
    const rows = payload.fields.map((field) => {
      const numbers = coveringOf(payload)
        .filter((covering) => covers(covering, field))
        .map(numberOf);
      return `| \`${field.path}\` | ${field.type.replaceAll('|', '\\|')} | ${policyOf(payload, field)} | ${numbers.join(', ')} |`;
    });
    const [, part] = payload.name.split(' ');
    const heading = `## ${payload.calls.join(', ')}: ${part}`;
    return [heading, '', '| Field | Type | Null and absent | Tests |', '| --- | --- | --- | --- |', ...rows].join('\n');
  });
  return [preface, ...tables, '## Tests', tests.map((name, i) => `${i + 1}. ${name}`).join('\n')].join('\n\n');
}

const preface = `# Fields of the REST contract

Every field of every payload, with the tests that cover it. Written from the schemas in \`sync-protocol\` and the list in
\`tests/docs/field-coverage.ts\` by \`tests/docs/rest-fields.test.ts\`, which fails where a field has no test.

\`[]\` is each item of a list. Fields that are not listed are ignored in requests and never answered. A field that breaks
its type is 400 and named by its path. What an answer has nothing to say in: text \`""\`, lists \`[]\`, counts 0, flags
false, and null only where the column says so.`;

const nameOf = ({ file, title }: Covering): string => `\`${file}\`: ${title}`;

/** What null means in a field, and its absence. */
function policyOf({ name, part }: Payload, { path, nullable, required, type }: Field): string {
  if (part === 'data' || part === 'meta') return nullable ? 'null where there is none' : 'never';
  if (required && !nullable) return 'needed';
  if (name !== 'syncStops body' && name !== 'skipStop body') return nullable ? 'null is absent' : 'may be absent';
  return stopPolicyOf(path, type);
}

/** Contract §1 and §4: absent is no change, null clears, evidence stays. */
function stopPolicyOf(path: string, type: string): string {
  if (/(^|\.)(facility|week_end)$/.test(path)) return 'null is absent: not asked for';
  if (/(signature_id|images_id)$/.test(path)) return 'no change: evidence';
  if (path.endsWith('image_ids')) return 'no change: evidence; `[]` clears';
  if (/^(type|status)$/.test(path)) return 'null is absent';
  if (path.endsWith('updates.status') || path.endsWith('arrived')) return 'no change';
  if (type === 'object' || /(products|collections)\[\]$/.test(path)) return 'no change';
  if (/(osd_data|overage_items)\[\]\./.test(path)) return path.endsWith('quantity') ? '0' : 'blank or null';
  if (/\.(required|count_in_totes|add_photos)$/.test(path)) return 'read, not kept';
  if (path.endsWith('invoice')) return 'the line is found by its item';
  return 'null clears, absent is no change';
}
