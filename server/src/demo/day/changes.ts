import { warehouseStop, type RouteKey } from '@tailgate/sync-protocol';
import { linesOf, placeOf } from './depot.ts';
import type { Delivery, Event, LineScript } from './script.ts';

/** The ids of files that a delivery names. */
export interface NamedFiles {
  readonly signature?: string;
  readonly photo?: string;
}

/** The change that a phone records for an event: its name and its arguments. */
export interface RecordedChange {
  readonly name: string;
  readonly args: object;
}

/** @param shop the shop of the event's stop; undefined for the warehouse */
export function changeOf(
  event: Event,
  { route, at, shop, files }: { route: RouteKey; at: Date; shop: string | undefined; files: NamedFiles },
): RecordedChange {
  const update = (stop: object): RecordedChange => ({ name: 'stop.update', args: { route, stop } });
  const time = at.toISOString();
  switch (event.kind) {
    case 'delivers':
      return update(delivered(event, { at, shop, files }));
    case 'corrects':
      return update({ id: event.stop, updates: { driver_comments: event.comment } });
    case 'skips':
    case 'refuses':
      return {
        name: 'stop.skip_refuse',
        args: {
          route,
          stop_id: event.stop,
          status: event.kind === 'skips' ? 'S' : 'R',
          skip_refuse_reason_code: event.code,
          skip_refuse_timestamp: time,
          skip_refuse_driver_comment: event.comment,
        },
      };
    case 'returns':
      return update({
        id: warehouseStop,
        arrived: true,
        updates: { status: 'D', start_delivery_time: time, end_delivery_time: time },
      });
    case 'sends':
      break;
  }
  return { name: event.name, args: { route, stop_id: event.stop } };
}

/** A delivery takes this long. */
const unloadingMs = 9 * 60_000;

function delivered(
  event: Delivery,
  { at, shop, files }: { at: Date; shop: string | undefined; files: NamedFiles },
): object {
  const { stop, signed, comment, lines = [], extra } = event;
  const place = shop === undefined ? undefined : placeOf(shop);
  const planned = linesOf(event.route, stop).map(({ id, invoice, quantity }, index) => ({
    id,
    invoice,
    updates: lineUpdates({ line: index, delivered: quantity, ...lines.find(({ line }) => line === index) }, files),
  }));
  return {
    id: stop,
    updates: {
      status: 'D',
      start_delivery_time: new Date(at.getTime() - unloadingMs).toISOString(),
      end_delivery_time: at.toISOString(),
      store_emp_name: signed,
      ...(place && { delivery_latitude: place.latitude, delivery_longitude: place.longitude }),
      ...(comment !== undefined && { driver_comments: comment }),
      ...(files.signature !== undefined && { signature_id: files.signature }),
    },
    products: [
      ...planned,
      ...(extra ? [{ id: extra.id, invoice: planned[0]?.invoice, updates: { delivered: extra.quantity } }] : []),
    ],
  };
}

/** The first line has the photo of the goods, or the exception has it. */
function lineUpdates({ line, delivered: count, exception }: LineScript, { photo }: NamedFiles): object {
  const osd = exception && {
    osd_id: `d${exception.code}${line}`.padEnd(6, '0'),
    osd_code: exception.code,
    data: [
      {
        quantity: exception.quantity,
        quantity_type: 'cases',
        comment: exception.comment,
        ...(photo !== undefined && { images_id: photo }),
      },
    ],
  };
  return {
    delivered: count,
    accounting_complete: true,
    ...(line === 0 && photo !== undefined && { image_ids: [photo] }),
    ...(osd && { osd_data: [osd] }),
  };
}
