import * as z from '#schema';
import { nothing, operation } from './operations.ts';
import { blankIsAbsent, pageCursor, pageLimit, pageMeta } from '../schema/page.ts';
import { said } from './said.ts';

// What the server noted and a person has to know of, for operators.

const blankInstant = z.optional(
  z.union([
    z.iso.datetime({ offset: true }),
    z.pipe(
      z.literal(''),
      z.transform(() => undefined),
    ),
  ]),
);

/** Query of GET /api/ops/incidents; what is given must hold. */
export const incidentQuery = z.object({
  state: z._default(z.enum(['open', 'acknowledged', 'all']), 'open'),
  /** Such as `chain_broken`. */
  kind: blankIsAbsent(40),
  employee: blankIsAbsent(10),
  facility: blankIsAbsent(5),
  route_id: blankIsAbsent(10),
  from: blankInstant,
  until: blankInstant,
  limit: pageLimit,
  cursor: pageCursor,
});
export type IncidentQuery = z.infer<typeof incidentQuery>;

export const incidentItem = z.strictObject({
  incident_id: z.string(),
  at: z.iso.datetime(),
  kind: z.string(),
  client_id: z.nullable(z.string()),
  employee: z.nullable(z.string()),
  /** JSON, as text: each kind has its own. */
  details: z.string(),
  state: z.enum(['open', 'acknowledged']),
  acknowledged_at: z.nullable(z.iso.datetime()),
  acknowledged_by: z.nullable(z.string()),
  note: z.nullable(z.string()),
});
export type IncidentItem = z.infer<typeof incidentItem>;

export const incidentParams = z.object({ incident_id: z.uuid() });

/** Body of POST …/acknowledge. */
export const acknowledgeBody = z.object({ by: said(40), note: said(500) });
export type AcknowledgeBody = z.infer<typeof acknowledgeBody>;

const ofOperators = { sets: ['current'], access: 'operator' } as const;

export const incidentOperations = {
  listIncidents: operation({
    ...ofOperators,
    method: 'GET',
    path: '/ops/incidents',
    summary: 'What the server noted and a person has to know of, newest first.',
    message: 'Incidents',
    body: nothing,
    query: incidentQuery,
    data: z.array(incidentItem),
    meta: pageMeta,
    errors: [],
  }),
  acknowledgeIncident: operation({
    ...ofOperators,
    method: 'POST',
    path: '/ops/incidents/:incident_id/acknowledge',
    params: incidentParams,
    summary: 'Somebody has seen to it. Whoever was first stays.',
    message: 'Acknowledged',
    body: acknowledgeBody,
    query: nothing,
    data: incidentItem,
    errors: ['INCIDENT_NOT_FOUND'],
  }),
} as const;
