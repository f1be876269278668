import fc from 'fast-check';
import type { Pipeline, Queue } from '../../../server/src/mutations/change.ts';
import { readResult } from '../../../server/src/stops/stored-documents.ts';
import { insertRoutes, plan } from '../../support/mirror.ts';
import type { TestDatabase } from '../../support/postgres.ts';
import { restChange } from '../../support/rest-change.ts';
import { TestQueue } from '../../support/sealing.ts';
import { bindQueue, route, updateOf } from './fixture.ts';

// What two drivers say of one stop, told to a pipeline all at once or word by word.

/** By REST it counts from its receipt, an hour after the stories begin, by phone from the minute of its tap. */
const word = fc.record({
  by: fc.constantFrom('a', 'b'),
  via: fc.constantFrom('rest', 'phone'),
  status: fc.constantFrom('D', 'S'),
  comment: fc.constantFrom('one', 'two'),
  minute: fc.nat(100),
});
type Word = typeof word extends fc.Arbitrary<infer Said> ? Said : never;
type Story = readonly (readonly Word[])[];

/** Moments of a story, and words of a moment, at most. */
const [longest, most] = [3, 5];

/** A few moments of a few words each. Those of one driver by one way stand together, as in a batch. */
export const anyStory: fc.Arbitrary<Story> = fc.array(
  fc
    .array(word, { minLength: 1, maxLength: most })
    .map((words) => words.toSorted((a, b) => lane(a).localeCompare(lane(b)))),
  { minLength: 2, maxLength: longest },
);
const lane = ({ by, via }: Word): string => `${via} ${by}`;

interface Phone {
  readonly queue: TestQueue;
  readonly session: Queue;
}

/** A route for each story, named after `name`, its two drivers and their phones. */
export async function dispatch(database: Pick<TestDatabase, 'pool'>, name: string, stories: readonly Story[]) {
  const tales = stories.map((story, n) => ({ story, key: route(`${name}${n}`) }));
  await insertRoutes(
    database.pool,
    tales.map(({ key: { facility, id, week_end: weekEnd } }) => {
      return { facility, id, weekEnd, drivers: [`${id}a`, `${id}b`], stops: [plan(1)] };
    }),
  );
  return Promise.all(
    tales.map(async (tale) => {
      const phoneOf = async (employee: string): Promise<Phone> => {
        const queue = new TestQueue();
        return { queue, session: await bindQueue(database, queue, employee) };
      };
      const [a, b] = await Promise.all([phoneOf(`${tale.key.id}a`), phoneOf(`${tale.key.id}b`)]);
      return { ...tale, phones: { a, b } };
    }),
  );
}
type Tale = Awaited<ReturnType<typeof dispatch>>[number];

const beginning = Date.now() - 7_200_000;

/** Tells a word; `at` is what sets its time apart from all others of its story, ms. The answer is without ids. */
function tell(
  pipeline: Pipeline,
  { key, phones }: Tale,
  { by, via, minute, status, comment }: Word,
  at: number,
): Promise<unknown> {
  const stop = { id: 1, updates: { status, driver_comments: comment } };
  const { queue, session } = by === 'a' ? phones.a : phones.b;
  if (via === 'rest') {
    const received = new Date(beginning + 3_600_000 + at);
    return pipeline.submit(restChange(key, stop, key.id + by, { editTime: received, receivedAt: received }));
  }
  const item = updateOf(queue, key, stop, new Date(beginning + minute * 60_000 + at));
  return pipeline.push(session, [item]).then(({ results }) => results.map((result) => ({ ...result, id: '' })));
}

/**
 * Tells all stories side by side; `together`: each moment's words at once, else one after the other. Returns what was
 * answered to each, and what stands in the end.
 */
export async function tellAll(
  pipeline: Pipeline,
  database: Pick<TestDatabase, 'pool'>,
  tales: readonly Tale[],
  { together }: { readonly together: boolean },
) {
  const answers: unknown[][] = tales.map(() => []);
  const turns = together ? [[0, most] as const] : Array.from({ length: most }, (_, n) => [n, n + 1] as const);
  for (let moment = 0; moment < longest; moment++)
    for (const [from, end] of turns) {
      const told = tales.map((tale) => {
        const words = tale.story[moment]?.slice(from, end) ?? [];
        return Promise.all(words.map((each, i) => tell(pipeline, tale, each, moment * most + from + i)));
      });
      for (const [n, each] of (await Promise.all(told)).entries()) answers[n]?.push(...each);
    }
  const stands = await standing(database, tales);
  return answers.map((answered, n) => ({ answered, stands: stands[n] }));
}

/** The result documents; a phone is named by its driver. */
async function standing({ pool }: Pick<TestDatabase, 'pool'>, tales: readonly Tale[]) {
  const { rows } = await pool.query<{ route_id: string; doc: string }>(
    'select route_id, doc from stop_result where route_id = any($1)',
    [tales.map(({ key }) => key.id)],
  );
  return tales.map(({ key, phones: { a, b } }) => {
    const doc = rows.find(({ route_id }) => route_id === key.id)?.doc ?? '';
    return readResult(doc.replaceAll(a.queue.clientId, 'a').replaceAll(b.queue.clientId, 'b').replaceAll(key.id, ''));
  });
}
