import {
  blankIsAbsent,
  pageCursor,
  pageLimit,
  queryNumber,
  queryNumberOr,
  text,
  type ErrorCode,
} from '@tailgate/sync-protocol';
import * as z from 'zod/mini';
import { pageWords } from '../http/openapi/described.ts';

/** Every operators' operation is on the unprefixed path set. Each also names the `role` that it needs. */
export const ofOperators = { sets: ['current'], access: 'operator' } as const;

/** A read that pages repeat: an unchanged answer is not sent again. */
export const tagged = { requestHeaders: ['if-none-match'] } as const;

/** Text that a person must fill in, such as a name or a reason. */
export const requiredText = (longest: number) =>
  text(longest).check(
    z.minLength(1, 'must not be blank'),
    z.refine((value) => !/^\s+$/.test(value), 'must not be blank'),
  );

/** The author of a decision: optional in a session, whose operator it must be; required with OPS_TOKEN. */
export const author = z.optional(z.nullable(requiredText(40)));

/** The time of the latest decision of another operator that the author has read. */
export const seen = z.optional(z.nullable(z.iso.datetime({ offset: true })));
export const seenWords =
  'The time of the latest decision of another operator that the author has read, as in the entry or in `data.at` of a 409. A later one is not replaced. Ignored with `OPS_TOKEN`.';

/** The author of a decision, and why. */
export const decision = { by: author, reason: requiredText(500) };

/** `data` of `DECIDED_BEFORE`: the author of the first decision, its time, and its operation. */
export const firstDecision = z.strictObject({
  by: z.string(),
  at: z.iso.datetime(),
  act: z.optional(z.string()),
});
const errorData = { DECIDED_BEFORE: firstDecision } as const;
/** Errors of an act, and the refusal of a second operator. */
export const decided = <const Code extends ErrorCode>(...errors: Code[]) =>
  ({ errors: [...errors, 'DECIDED_BEFORE'], errorData }) as const;

/** Words for the author. */
export const byWords =
  'The author. In a session: absent, or the operator. Required with `OPS_TOKEN`, and stored as `machine:NAME`.';
export const optionalByWords =
  'The author. In a session: absent, or the operator. Optional with `OPS_TOKEN`, and stored as `machine:NAME`.';

const blank = z.pipe(
  z.literal(''),
  z.transform(() => undefined),
);

/** An instant in a query; blank counts as absent. */
export const blankInstant = z.optional(z.union([z.iso.datetime({ offset: true }), blank]));

/** An id in a query; blank counts as absent. */
export const blankId = z.optional(z.union([z.uuid(), blank]));

/** Query fields of every paged list. `pageWords` describes them. */
export const pageQuery = { limit: pageLimit, cursor: pageCursor };

/** Query of a list that a page of a stop or of a route shows a part of. Fields filter: none is all. */
export const placeQuery = () =>
  z
    .object({
      facility: blankIsAbsent(5),
      route_id: blankIsAbsent(10),
      week_end: blankIsAbsent(8),
      stop_id: queryNumber(1, 32_767),
    })
    .check(
      z.refine(({ facility, route_id }) => route_id === undefined || facility !== undefined, {
        error: 'is required for a route',
        path: ['facility'],
      }),
      z.refine(({ week_end, route_id }) => (route_id === undefined) === (week_end === undefined), {
        error: 'belongs to a route, and a route needs it',
        path: ['week_end'],
      }),
      z.refine(({ stop_id, route_id }) => stop_id === undefined || route_id !== undefined, {
        error: 'is not allowed without a route',
        path: ['stop_id'],
      }),
    );
export type PlaceQuery = z.infer<ReturnType<typeof placeQuery>>;

/** The same for lists whose entries are long: a page is at most 200 entries. */
export const officePageQuery = { limit: queryNumberOr(100, 1, 200), cursor: pageCursor };
export const officePageWords = { limit: '1 to 200; 100 by default.', cursor: pageWords.cursor } as const;

/** Words for the key of a route, and of a stop. */
export const routeWords = {
  facility: 'Facility of the route.',
  route_id: 'The route.',
  week_end: 'Its week.',
} as const;
export const stopWords = { ...routeWords, stop_id: 'The stop.' } as const;

/** Words for a mutation. */
export const mutationWords = {
  id: "The mutation's own id.",
  version: 'The route version that contains it.',
  source: 'How it came: by a queue, by REST, from the office, by a timer.',
} as const;

/** Words for an employee of the master. */
export const employeeName = 'From the employee master; blank where it has no such employee.';
