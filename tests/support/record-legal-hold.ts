import { operations } from '../../server/src/http/operations.ts';

interface Sent {
  readonly headers: Readonly<Record<string, string>>;
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}
type Name = 'placeLegalHold' | 'listLegalHolds' | 'releaseLegalHold';

interface StopPlace {
  readonly facility: string;
  readonly route_id: string;
  readonly week_end: string;
  readonly stop_id: number;
}

/** A stop is held for a claim, and released. */
export async function recordLegalHold(
  record: (name: Name, sent: Sent) => Promise<unknown>,
  headers: Sent['headers'],
  { facility, route_id, week_end, stop_id }: StopPlace,
): Promise<void> {
  const scope = { facility, route_id, week_end, stop_id };
  const body = { by: 'MILLER', reason: 'The insurer, claim 4711', scope };
  const placed = operations.placeLegalHold.data.parse(await record('placeLegalHold', { headers, body }));
  await record('listLegalHolds', { headers, query: { ...scope, stop_id: String(stop_id) } });
  const params = { legal_hold_id: placed.legal_hold_id };
  await record('releaseLegalHold', { headers, params, body: { by: 'MILLER', reason: 'The claim is settled.' } });
}
