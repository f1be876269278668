import { globSync } from 'node:fs';
import { expect, test } from 'vitest';

const repository = new URL('../../', import.meta.url);

const isNamed = (value: unknown): value is { name: string; text: string } =>
  typeof value === 'object' && value !== null && 'name' in value && 'text' in value;

const valuesOf = (exported: unknown): unknown[] =>
  typeof exported === 'object' && exported !== null ? Object.values(exported) : [];

test('each prepared statement has a name of its own, in one spelling, that PostgreSQL does not cut', async () => {
  const files = globSync('server/src/**/{*-,}{sql,queries}.ts', { cwd: repository });
  const names: string[] = [];
  for (const file of files) {
    const exported: unknown = await import(new URL(file, repository).href);
    for (const value of valuesOf(exported)) if (isNamed(value)) names.push(value.name);
  }
  expect(names.length).toBeGreaterThan(100);
  expect(names.filter((name) => !/^[a-z]+(_[a-z]+)+$/.test(name) || name.length > 63)).toEqual([]);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});
