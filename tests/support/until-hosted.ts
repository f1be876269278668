import { routeScope, type RouteKey } from '@tailgate/sync-protocol';
import { Phone } from './phone.ts';
import type { Signed } from './rest-client.ts';

/** Waits, as this driver's phone, until the receipts say that the host has all that a route has now. */
export async function untilHosted(url: string, signed: Signed, route: RouteKey): Promise<void> {
  const scope = routeScope(route);
  const phone = await Phone.connect(`${url.replace('http', 'ws')}/api/sync`);
  await phone.signOn(signed, { cursors: { [scope]: null } });
  let frame = await phone.either('snapshot', 'patch');
  const version = frame.type === 'snapshot' ? frame.version : frame.to;
  if (frame.type === 'snapshot')
    phone.send({ type: 'subscribe', cursors: { [scope]: { epoch: frame.epoch, version } } });
  while (frame.type === 'snapshot' || (frame.hosted_through ?? 0) < version) frame = await phone.next('patch');
  phone.terminate();
}
