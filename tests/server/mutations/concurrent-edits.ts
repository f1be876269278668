import fc from 'fast-check';
import type { Pipeline, Queue } from '../../../server/src/mutations/change.ts';
import { readResult } from '../../../server/src/stops/stored-documents.ts';
import { insertRoutes, plan } from '../../support/mirror.ts';
import type { TestDatabase } from '../../support/postgres.ts';
import { restChange } from '../../support/rest-change.ts';
import { TestQueue } from '../../support/sealing.ts';
import { bindQueue, route, updateOf } from './fixture.ts';

// Edits of one stop by two drivers, submitted to a pipeline all at once or one by one.

/** A REST edit counts from its receipt, an hour after the scripts begin; a phone's from the minute of its tap. */
const edit = fc.record({
  by: fc.constantFrom('a', 'b'),
  via: fc.constantFrom('rest', 'phone'),
  status: fc.constantFrom('D', 'S'),
  comment: fc.constantFrom('one', 'two'),
  minute: fc.nat(100),
});
type Edit = typeof edit extends fc.Arbitrary<infer Generated> ? Generated : never;
type Script = readonly (readonly Edit[])[];

/** The most moments of a script, and the most edits of a moment. */
const [longest, max] = [3, 5];

/** A few moments of a few edits. Edits of one driver by one way are adjacent, as in a batch. */
export const anyScript: fc.Arbitrary<Script> = fc.array(
  fc
    .array(edit, { minLength: 1, maxLength: max })
    .map((edits) => edits.toSorted((a, b) => lane(a).localeCompare(lane(b)))),
  { minLength: 2, maxLength: longest },
);
const lane = ({ by, via }: Edit): string => `${via} ${by}`;

interface Phone {
  readonly queue: TestQueue;
  readonly session: Queue;
}

/** Creates a route for each script, named after `name`, with its two drivers and their phones. */
export async function dispatch(database: Pick<TestDatabase, 'pool'>, name: string, scripts: readonly Script[]) {
  const cases = scripts.map((script, n) => ({ script, key: route(`${name}${n}`) }));
  await insertRoutes(
    database.pool,
    cases.map(({ key: { facility, id, week_end: weekEnd } }) => {
      return { facility, id, weekEnd, drivers: [`${id}a`, `${id}b`], stops: [plan(1)] };
    }),
  );
  return Promise.all(
    cases.map(async (one) => {
      const phoneOf = async (employee: string): Promise<Phone> => {
        const queue = new TestQueue();
        return { queue, session: await bindQueue(database, queue, employee) };
      };
      const [a, b] = await Promise.all([phoneOf(`${one.key.id}a`), phoneOf(`${one.key.id}b`)]);
      return { ...one, phones: { a, b } };
    }),
  );
}
type EditCase = Awaited<ReturnType<typeof dispatch>>[number];

const beginning = Date.now() - 7_200_000;

/** Submits an edit. `at` makes its time unique within its script, ms. The answer has no ids. */
function submitEdit(
  pipeline: Pipeline,
  { key, phones }: EditCase,
  { by, via, minute, status, comment }: Edit,
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
 * Submits all scripts in parallel. With `together` it submits the edits of a moment at once, else one after the other.
 * Returns the answers to each script and its final results.
 */
export async function submitAll(
  pipeline: Pipeline,
  database: Pick<TestDatabase, 'pool'>,
  cases: readonly EditCase[],
  { together }: { readonly together: boolean },
) {
  const answers: unknown[][] = cases.map(() => []);
  const turns = together ? [[0, max] as const] : Array.from({ length: max }, (_, n) => [n, n + 1] as const);
  for (let moment = 0; moment < longest; moment++)
    for (const [from, end] of turns) {
      const answersOfTurn = cases.map((one) => {
        const edits = one.script[moment]?.slice(from, end) ?? [];
        return Promise.all(edits.map((each, i) => submitEdit(pipeline, one, each, moment * max + from + i)));
      });
      for (const [n, each] of (await Promise.all(answersOfTurn)).entries()) answers[n]?.push(...each);
    }
  const results = await readResults(database, cases);
  return answers.map((answered, n) => ({ answered, results: results[n] }));
}

/** The result documents; the name of a phone is its driver. */
async function readResults({ pool }: Pick<TestDatabase, 'pool'>, cases: readonly EditCase[]) {
  const { rows } = await pool.query<{ route_id: string; doc: string }>(
    'select route_id, doc from stop_result where route_id = any($1)',
    [cases.map(({ key }) => key.id)],
  );
  return cases.map(({ key, phones: { a, b } }) => {
    const doc = rows.find(({ route_id }) => route_id === key.id)?.doc ?? '';
    return readResult(doc.replaceAll(a.queue.clientId, 'a').replaceAll(b.queue.clientId, 'b').replaceAll(key.id, ''));
  });
}
