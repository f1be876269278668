/** The place of an incident, as far as its details name one. */
export interface IncidentPlace {
  readonly facility: string | undefined;
  readonly route_id: string | undefined;
  readonly week_end: string | undefined;
  readonly stop_id: number | undefined;
}

/** Each kind has details of its own; `route` names a route in all of them. */
export function placeOfIncident(details: string): IncidentPlace {
  const fields = fieldsOf(parsed(details));
  const route = fieldsOf(fields.get('route'));
  const stop = fields.get('stop');
  return {
    facility: textOf(route.get('facility')) ?? textOf(fields.get('facility')),
    route_id: textOf(route.get('id')),
    week_end: textOf(route.get('week_end')),
    stop_id: typeof stop === 'number' ? stop : undefined,
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const fieldsOf = (value: unknown): ReadonlyMap<string, unknown> =>
  new Map(value instanceof Object ? Object.entries(value) : []);
const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);
