import { operations } from '@tailgate/sync-protocol';
import { vi } from 'vitest';
import { opsOperations } from '../../server/src/ops/operations.ts';
import { signUp } from '../support/people.ts';
import { png } from '../support/png.ts';
import type { Signed } from '../support/rest-client.ts';
import { storeFiles } from '../support/uploads.ts';
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

interface EvidenceNames {
  readonly signature: string;
  readonly photo: string;
}

/** A delivery of R100, stop 1 with a signature, and with a line that is short by 2 and has a photo. */
export async function deliverWithFiles(
  service: Service,
  as: Signed,
  { signature, photo }: EvidenceNames,
  updates: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  const { rest } = service;
  const { id, ...key } = demoRoute('R100');
  const [signed = ''] = await storeFiles(rest, { as, files: [{ name: signature, bytes: png(320, 110, ink) }] });
  const [photographed = ''] = await storeFiles(rest, { as, files: [{ name: photo, bytes: png(400, 300, carton) }] });
  const osd = {
    osd_id: 'a1b2c3',
    osd_code: 20,
    data: [
      {
        osd_parent: null,
        comment: 'Corner “crushed” – 2',
        quantity: 2,
        images_id: photographed,
        barcodes: '',
        quantity_type: 'units',
      },
    ],
  };
  const stop = {
    id: 1,
    arrived: true,
    updates: {
      status: 'D',
      end_delivery_time: new Date().toISOString(),
      store_emp_name: 'Rosa Delgado',
      signature_id: signed,
      driver_comments: 'Ring at the “side door” – the bell is dead.',
      ...updates,
    },
    products: [
      { id: '100234', invoice: '8100101', updates: { delivered: 12, accounting_complete: true } },
      { id: '100241', invoice: '8100101', updates: { delivered: 4, accounting_complete: true, osd_data: [osd] } },
      { id: '110020', invoice: '8100102', updates: { delivered: 30, accounting_complete: true } },
    ],
  };
  await rest.take(operations.syncStops, { as, body: { id, ...key, stops: [stop] } });
}

const ink = [21, 32, 27, 255] as const;
const carton = [199, 154, 98, 255] as const;

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
