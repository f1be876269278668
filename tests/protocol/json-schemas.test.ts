import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { stopUpdateArgs } from '@tailgate/sync-protocol';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { TestQueue } from '../support/sealing.ts';
import { protocolSchemas } from './json-schemas.ts';

const folder = join(import.meta.dirname, '../../docs/protocol');
const read = (file: string): string => readFileSync(join(folder, file), 'utf8');
const validatorOf = (file: string) => {
  const schema = protocolSchemas().get(file);
  if (!schema) throw new Error(`no schema ${file}`);
  return new Ajv2020({ strict: false, validateFormats: false }).compile(schema);
};

describe('docs/protocol', () => {
  test('holds the current JSON Schema of every message: npm run protocol:schemas', () => {
    const files = readdirSync(folder).filter((name) => name.endsWith('.schema.json'));
    const schemas = protocolSchemas();
    expect(new Set(files)).toEqual(new Set(schemas.keys()));
    for (const [file, schema] of schemas)
      expect(`${file}\n${read(file)}`).toBe(`${file}\n${JSON.stringify(schema, null, 2)}\n`);
  });

  test('validators of other languages accept the schemas', () => {
    const item = new TestQueue().seal('stop.update', {
      route: { facility: 'F01', id: 'R1', week_end: '20261121' },
      stop: { id: 1, updates: { status: 'D' } },
    });
    const isFrame = validatorOf('client-frame.schema.json');
    expect(isFrame({ type: 'push', mutations: [item] })).toBe(true);
    expect(isFrame({ type: 'push' })).toBe(false);
    expect(validatorOf('mutation.schema.json')(item)).toBe(true);
    expect(validatorOf('mutation.schema.json')({ ...item, seq: 0 })).toBe(false);
    const isUpdate = validatorOf('stop-update-1.schema.json');
    expect(isUpdate(item.args)).toBe(true);
    expect(isUpdate({ route: {}, stop: { id: 1 } })).toBe(false);
  });

  test('counts text length as the server and the SDK do, and lists the rules that JSON Schema cannot express', () => {
    const file = 'stop-update-1.schema.json';
    const isUpdate = validatorOf(file);
    const route = { facility: 'F01', id: 'R1', week_end: '20261121' };
    const judged = (driver_comments: string) => {
      const args = { route, stop: { id: 1, updates: { driver_comments } } };
      return [isUpdate(args), stopUpdateArgs.safeParse(args).success];
    };
    expect(judged('😀'.repeat(2_000))).toEqual([true, true]);
    expect(judged('😀'.repeat(2_001))).toEqual([false, false]);
    expect(judged('half of one \uD83D')).toEqual([true, false]);
    expect(judged('NUL \0')).toEqual([true, false]);
    expect(read(file)).toMatch(/"description": ".*NUL or half of a surrogate pair is refused/);
  });

  test('additional fields of a newer server are valid', () => {
    const patch = { type: 'patch', scope: 'codes:all', epoch: '1', from: 0, to: 0, docs: [], deletes: [], checksum: 0 };
    const isFrame = validatorOf('server-frame.schema.json');
    expect(isFrame({ ...patch, one_day: true })).toBe(true);
    expect(isFrame({ ...patch, checksum: 'none' })).toBe(false);
    expect(validatorOf('snapshot.schema.json')({ ...patch, one_day: true })).toBe(true);
  });
});
