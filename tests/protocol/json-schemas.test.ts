import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
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
  test('holds the JSON Schema of everything that is sent, as the code has it: npm run protocol:schemas', () => {
    const files = readdirSync(folder).filter((name) => name.endsWith('.schema.json'));
    const schemas = protocolSchemas();
    expect(new Set(files)).toEqual(new Set(schemas.keys()));
    for (const [file, schema] of schemas)
      expect(`${file}\n${read(file)}`).toBe(`${file}\n${JSON.stringify(schema, null, 2)}\n`);
  });

  test('other languages’ validators read it', () => {
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

  test('what a newer server says beside it is no fault', () => {
    const patch = { type: 'patch', scope: 'codes:all', epoch: '1', from: 0, to: 0, docs: [], deletes: [], checksum: 0 };
    const isFrame = validatorOf('server-frame.schema.json');
    expect(isFrame({ ...patch, one_day: true })).toBe(true);
    expect(isFrame({ ...patch, checksum: 'none' })).toBe(false);
    expect(validatorOf('snapshot.schema.json')({ ...patch, one_day: true })).toBe(true);
  });
});
