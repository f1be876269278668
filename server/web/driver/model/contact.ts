import type { Customer } from '@tailgate/sync-protocol';

/** A phone number for the phone's own app; undefined without one. */
export function callLink({ contact }: Customer): string | undefined {
  const number = contact.phone.replaceAll(/[^\d+*#]/g, '');
  return number === '' ? undefined : `tel:${number}`;
}

/** Systems whose browsers do not open `geo:`. An iPad calls itself a Macintosh. */
const apple = /iPhone|iPad|iPod|Macintosh/;

/** The customer's door for a map app; undefined where the plan has no coordinates. */
export function mapLink({ location }: Customer, system: string = navigator.userAgent): string | undefined {
  const { latitude, longitude } = location.coordinates;
  if (!Number(latitude) || !Number(longitude)) return undefined;
  const place = `${latitude},${longitude}`;
  // iOS opens its maps app with this address, also without a network.
  return apple.test(system) ? `https://maps.apple.com/?daddr=${place}` : `geo:${place}?q=${place}`;
}
