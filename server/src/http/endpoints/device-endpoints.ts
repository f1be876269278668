import { operations } from '@tailgate/sync-protocol';
import type { Sessions } from '../../auth/sessions.ts';
import { listDevices, revokeDevice, unregisterDriver, type DeviceDeps } from '../../ops/devices/devices.ts';
import { decodePosition } from '../../ops/page-position.ts';
import { readCursor } from '../answers/cursor.ts';
import { endpoint } from '../answers/endpoint.ts';
import { AppError } from '../../wire/errors.ts';

export interface DeviceEdge extends DeviceDeps {
  readonly sessions: Pick<Sessions, 'forget'>;
}

/**
 * For operators: what is still on the phones, and phones and drivers that have to go. Whose sessions have ended is
 * forgotten here at once: the notification that tells the other nodes may come after our answer.
 */
export function deviceEndpoints({ sessions, ...deps }: DeviceEdge) {
  return {
    listDevices: endpoint(operations.listDevices, async ({ query }) => {
      const { items, nextCursor } = await listDevices(deps, query, readCursor(query.cursor, decodePosition));
      return { data: items, meta: { next_cursor: nextCursor } };
    }),

    revokeDevice: endpoint(operations.revokeDevice, async ({ params, body }) => {
      const device = await revokeDevice(deps, params.client_id, body);
      if (!device) throw new AppError('DEVICE_NOT_FOUND');
      sessions.forget([device.employee]);
      return { data: device };
    }),

    unregisterDriver: endpoint(operations.unregisterDriver, async ({ params: { employee }, body }) => {
      const since = await unregisterDriver(deps, employee, body);
      if (!since) throw new AppError('EMPLOYEE_NOT_FOUND', { message: 'Nobody of this id is registered.' });
      sessions.forget([employee]);
      return { data: { employee, unregistered_at: since.toISOString() } };
    }),
  };
}
