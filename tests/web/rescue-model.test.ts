import type { ExportedQueue } from '@tailgate/client-sdk/rescue';
import { packQueues, unpackQueues } from '@tailgate/client-sdk/rescue';
import { expect, test } from 'vitest';
import { arrivalsOf, codesFor, contentOf, fileText, handOverOf } from '../../server/web/driver/model/rescue.ts';
import { isWhole, parcelOfFile, spoken } from '../../server/web/ui/hand-over-file.ts';

const passphrase = '4711 0815 1234';

function queueOf(employee_id: string, ...mutations: readonly { at: string; args: Record<string, unknown> }[]) {
  const queue: ExportedQueue = {
    format: 'tailgate-queue/1',
    client_id: `client of ${employee_id}`,
    employee_id,
    queue_key: 'key',
    exported_at: '2026-11-23T12:00:00.000Z',
    sealed_seq: mutations.length,
    sealed_link: null,
    mutations: mutations.map(({ at, args }, place) => ({
      id: `${employee_id}-${place}`,
      seq: place + 1,
      name: 'stop.update',
      version: 1,
      args,
      captured_at: at,
      boot_id: '',
      monotonic_ms: 0,
      prev_hash: null,
    })),
  };
  return queue;
}

const onRoute = (id: string) => ({ route: { facility: 'F01', id, week_end: '20261121' }, stop: { id: 1 } });
const queues = [
  queueOf(
    '1001',
    { at: '2026-11-23T09:40:00.000Z', args: onRoute('R100') },
    { at: '2026-11-23T10:00:00.000Z', args: onRoute('R100') },
    { at: '2026-11-23T10:05:00.000Z', args: { report: {} } },
  ),
  queueOf('1002', { at: '2026-11-23T09:50:00.000Z', args: onRoute('R200') }),
  // A queue that this phone has taken over before.
  queueOf('1001', { at: '2026-11-23T09:30:00.000Z', args: onRoute('R099') }),
];

test('a hand-over counts the changes of each driver, since the oldest one', () => {
  expect(handOverOf(queues)).toEqual({
    changes: 5,
    since: Date.parse('2026-11-23T09:30:00.000Z'),
    drivers: [
      { employee: '1001', n: 4 },
      { employee: '1002', n: 1 },
    ],
  });
  expect(handOverOf([])).toEqual({ changes: 0, since: undefined, drivers: [] });
});

test('another change makes another content', () => {
  const [first, second] = queues;
  expect(contentOf(queues)).toBe(contentOf([...queues]));
  expect(contentOf(first ? [first] : [])).not.toBe(contentOf(second ? [second] : []));
});

test('a driver’s changes arrive under one name, with their routes and without the ones that were here before', () => {
  const imported = [
    { items: 2, isWhole: true },
    { items: 1, isWhole: true },
    { items: 0, isWhole: true },
  ];
  expect(arrivalsOf(queues, imported)).toEqual([
    { employee: '1001', added: 2, routes: ['R099', 'R100'] },
    { employee: '1002', added: 1, routes: ['R200'] },
  ]);
});

test('a file carries the parcel as lines of text, and neither the passphrase nor the work', async () => {
  const parcel = await packQueues(queues, passphrase);
  const text = fileText(parcel);
  for (const secret of ['4711', '1001', 'R100', 'key']) expect(text.replaceAll(/:[^:]*$/gm, '')).not.toContain(secret);
  // Mail programs break lines in another way, and add some.
  const read = parcelOfFile(`\r\n${text.replaceAll('\n', '\r\n\r\n')}`);
  expect(read).toEqual(parcel);
  expect(await unpackQueues(parcel, spoken('4711–0815.1234'))).toEqual(queues);
});

test('a large file has several lines, and one that lacks a line is partial', () => {
  const parcel = new Uint8Array(70_000).fill(7);
  const text = fileText(parcel);
  expect(text.trim().split('\n')).toHaveLength(3);
  expect(parcelOfFile(text)).toEqual(parcel);
  expect(parcelOfFile(text.split('\n').slice(1).join('\n'))).toBe('partial');
  expect(codesFor(parcel)).toBeUndefined();
  expect(codesFor(parcel.slice(0, 601))).toHaveLength(3);
});

test('a file of something else is foreign', () => {
  for (const text of ['', 'a letter', '%PDF-1.7', '{"format":"tailgate-queue/1"}'])
    expect(parcelOfFile(text)).toBe('foreign');
});

test('a passphrase may have blanks, hyphens, dots and full-width figures', () => {
  for (const typed of ['471108151234', ' 4711-0815–1234 ', '4711.0815.1234', '４７１１ 0815 1234']) {
    expect(spoken(typed)).toBe('471108151234');
    expect(isWhole(typed)).toBe(true);
  }
  expect(isWhole('4711 0815 123')).toBe(false);
  expect(isWhole('- - - - - - - - - - - -')).toBe(false);
});
