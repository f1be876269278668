import { Phone } from './phone.ts';
import type { Signed } from './rest-client.ts';

/** Waits, as this driver's phone, until a server has a route for them. @returns the epoch of the phone's welcome */
export async function untilRouteReceived(url: string, signed: Signed): Promise<string> {
  const phone = await Phone.connect(`${url.replace('http', 'ws')}/api/sync`);
  const { epoch, routes } = await phone.signOn(signed);
  if (routes.length === 0) await phone.next('routes', (frame) => frame.routes.length > 0);
  phone.terminate();
  return epoch;
}
