import { operations } from '@tailgate/sync-protocol';
import { vi } from 'vitest';
import { opsOperations } from '../../server/src/ops/operations.ts';
import { signUp } from '../support/people.ts';
import type { Signed } from '../support/rest-client.ts';
import type { Service } from '../system/service.ts';
import { demoRoute } from '../system/service.ts';

/** A comment that the host's trigger refuses. */
export const refusedComment = 'BAD words';

/** A trigger of the host's own programs that refuses a comment. */
export async function refuseComments({ library }: Service): Promise<void> {
  await library.pool.query(
    `create or replace function refuse() returns trigger language plpgsql as $$
     begin if new.RUCMT like 'BAD%' then raise exception 'RUCMT is not wanted'; end if; return new; end $$`,
  );
  await library.pool.query(
    `create or replace trigger refuse before insert or update on PODDTA.RTSTUP for each row execute function refuse()`,
  );
}

/** The host's own programs take each comment again. */
export async function acceptComments({ library }: Service): Promise<void> {
  await library.pool.query(`drop trigger refuse on PODDTA.RTSTUP`);
}

export const driverOf = (service: Service, id: string): Promise<Signed> => signUp(service.rest, id);

/** A delivery by REST, as another app sends it. */
export async function deliver(
  { rest }: Service,
  as: Signed,
  route: string,
  stop: number,
  updates: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  const { id, ...key } = demoRoute(route);
  const stops = [{ id: stop, updates: { status: 'D', end_delivery_time: new Date().toISOString(), ...updates } }];
  await rest.take(operations.syncStops, { as, body: { id, ...key, stops } });
}

/** Waits until the host refuses the stop, and returns its entry. */
export async function untilParked({ rest }: Service, authorization: string, route: string, stop: number) {
  const find = async () => {
    const entries = await rest.take(opsOperations.listParked, { headers: { authorization } });
    return entries.find(({ route_id, stop_id }) => route_id === route && stop_id === stop);
  };
  return vi.waitFor(
    async () => {
      const entry = await find();
      if (!entry) throw new Error(`the host does not refuse ${route}, stop ${stop}`);
      return entry;
    },
    { timeout: 60_000 },
  );
}

/** Waits until the server has an incident for a person, and returns its id. */
export async function untilIncident({ rest }: Service, authorization: string): Promise<string> {
  const find = async (): Promise<string> => {
    const [incident] = await rest.take(opsOperations.listIncidents, { headers: { authorization } });
    if (!incident) throw new Error('there is no incident');
    return incident.incident_id;
  };
  return vi.waitFor(find, { timeout: 60_000 });
}
