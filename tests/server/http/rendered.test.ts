import { expect, test } from 'vitest';
import { RenderedAnswer, RenderedAnswers } from '../../../server/src/http/answers/rendered.ts';

/** An answer of this weight: its bytes and a quarter for its compressed forms. */
const answer = (weight: number) => new RenderedAnswer(Buffer.alloc((weight * 4) / 5, 'x'));

test('an answer is returned for its own stamp only', () => {
  const answers = new RenderedAnswers<RenderedAnswer>(1000);
  answers.set('a', '1', answer(100));
  expect(answers.get('a', '1')?.weight).toBe(100);
  expect(answers.get('a', '2')).toBeUndefined();
  answers.set('a', '2', answer(200));
  expect(answers.get('a', '1')).toBeUndefined();
  expect(answers.get('a', '2')?.weight).toBe(200);
});

test('the least recently used answer is evicted first, and a too large one is not stored', () => {
  const answers = new RenderedAnswers<RenderedAnswer>(1000);
  for (const name of ['a', 'b', 'c']) answers.set(name, '1', answer(300));
  answers.get('a', '1');
  answers.set('d', '1', answer(400));
  expect(['a', 'b', 'c', 'd'].filter((name) => answers.get(name, '1'))).toEqual(['a', 'c', 'd']);
  // A replacement frees the space of the old one.
  for (let i = 0; i < 10; i++) answers.set('d', String(i), answer(400));
  expect(['a', 'c', 'd'].filter((name) => answers.get(name, name === 'd' ? '9' : '1'))).toEqual(['a', 'c', 'd']);
  answers.set('e', '1', answer(1005));
  expect(answers.get('e', '1')).toBeUndefined();
  expect(answers.get('a', '1')).toBeDefined();
});

test('an answer is compressed once, also for simultaneous requests', async () => {
  const rendered = answer(5000);
  const [first, second] = await Promise.all([rendered.encoded('br'), rendered.encoded('br')]);
  expect(first).toBe(second);
  expect(await rendered.encoded('gzip')).not.toEqual(first);
  expect(first.length).toBeLessThan(rendered.bytes.length / 10);
});

test('equal answers have equal tags, one for each encoding', () => {
  expect(answer(500).etag('gzip')).toBe(answer(500).etag('gzip'));
  expect(answer(500).etag('gzip')).not.toBe(answer(600).etag('gzip'));
  expect(new Set([answer(500).etag('br'), answer(500).etag('gzip'), answer(500).etag('identity')]).size).toBe(3);
});
