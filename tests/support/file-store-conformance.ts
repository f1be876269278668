import type { FileStore } from '@tailgate/client-sdk/uploads';
import { beforeEach, expect, test } from 'vitest';
import { TestBytes } from './test-bytes.ts';

/** The same device, opened and opened again. */
export interface FilesDeps {
  readonly open: () => Promise<FileStore>;
}

const random = new TestBytes('files in stores');

/** The common behaviour of every store of files. */
export function fileStoreConforms(newDeps: () => Promise<FilesDeps> | FilesDeps): void {
  let deps: FilesDeps;
  let store: FileStore;
  beforeEach(async () => {
    deps = await newDeps();
    store = await deps.open();
  });
  const factsOf = async (): Promise<Map<string, unknown>> =>
    new Map((await store.files()).map(({ key, value }) => [key, value]));

  test('is empty at first', async () => {
    expect(await store.files()).toEqual([]);
    expect(await store.piece('NEVER', 0)).toBeUndefined();
    await store.remove('NEVER');
  });

  test('stores the record of a file, and its bytes in pieces', async () => {
    const pieces = [random.take(256 * 1024), random.take(256 * 1024), random.take(17)];
    await store.put('A', { name: 'Tür – 日本.jpg', state: { at: 'saved' } }, pieces);
    await store.put('B', { name: '' }, [new Uint8Array(0)]);
    expect(await factsOf()).toEqual(
      new Map<string, unknown>([
        ['A', { name: 'Tür – 日本.jpg', state: { at: 'saved' } }],
        ['B', { name: '' }],
      ]),
    );
    for (const [index, piece] of pieces.entries())
      expect(Buffer.from((await store.piece('A', index)) ?? []).equals(piece)).toBe(true);
    expect(await store.piece('A', 3)).toBeUndefined();
    expect(await store.piece('B', 0)).toEqual(new Uint8Array(0));
  });

  test('a put without bytes leaves the bytes', async () => {
    const piece = random.take(1_000);
    await store.put('A', { at: 'saved' }, [piece]);
    await store.put('A', { at: 'here' });
    expect(await factsOf()).toEqual(new Map([['A', { at: 'here' }]]));
    expect(await store.piece('A', 0)).toEqual(piece);
  });

  test('a deletion follows the writes before it', async () => {
    await store.put('A', { at: 'saved' }, [random.take(1_000)]);
    await Promise.all([store.put('A', { at: 'here' }), store.remove('A')]);
    expect(await store.files()).toEqual([]);
  });

  test('stores and returns copies', async () => {
    const piece = random.take(100);
    const before = piece.slice();
    await store.put('A', {}, [piece]);
    piece.fill(0);
    (await store.piece('A', 0))?.fill(1);
    expect(await store.piece('A', 0)).toEqual(before);
  });

  test('removes a file with all of its bytes, and nothing of one with the same id prefix', async () => {
    const pieces = [random.take(10), random.take(10)];
    await store.put('A', {}, pieces);
    await store.put('AA', {}, pieces);
    await store.remove('A');
    expect([...(await factsOf()).keys()]).toEqual(['AA']);
    expect(await store.piece('A', 1)).toBeUndefined();
    expect(await store.piece('AA', 1)).toEqual(pieces[1]);
  });

  test('retains its files when it is closed and opened again', async () => {
    const piece = random.take(300_000);
    await store.put('A', { kind: 'photo' }, [piece]);
    await store.close();
    store = await deps.open();
    expect(await factsOf()).toEqual(new Map([['A', { kind: 'photo' }]]));
    expect(Buffer.from((await store.piece('A', 0)) ?? []).equals(piece)).toBe(true);
  });

  test('writes all or nothing', async () => {
    const unstorable: { self?: object; act: () => void } = { act: () => {} };
    unstorable.self = unstorable;
    await expect(store.put('A', unstorable, [random.take(10)])).rejects.toThrow(/clone|circular/);
    expect(await store.files()).toEqual([]);
    expect(await store.piece('A', 0)).toBeUndefined();
  });
}
