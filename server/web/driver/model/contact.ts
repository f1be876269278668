import type { Customer } from '@tailgate/sync-protocol';

/** A phone number for the phone's own app; undefined without one. */
export function callLink({ contact }: Customer): string | undefined {
  const number = contact.phone.replaceAll(/[^\d+*#]/g, '');
  return number === '' ? undefined : `tel:${number}`;
}

/** Systems whose browsers do not open `geo:`. An iPad calls itself a Macintosh. */
const apple = /iPhone|iPad|iPod|Macintosh/;

/** The customer's door for a map app: by its coordinates, else by its address; undefined where the plan has neither. */
export function mapLink({ location }: Customer, system: string = navigator.userAgent): string | undefined {
  const { coordinates, address, city, state, zip } = location;
  const { latitude, longitude } = coordinates;
  const isKnown = Number(latitude) && Number(longitude);
  const street = [...address, city, `${state} ${zip}`.trim()].filter((part) => part.trim() !== '').join(', ');
  const target = isKnown ? `${latitude},${longitude}` : encodeURIComponent(street);
  if (target === '') return undefined;
  // iOS opens its maps app with this address, also without a network.
  return apple.test(system) ? `https://maps.apple.com/?daddr=${target}` : `geo:${isKnown ? target : '0,0'}?q=${target}`;
}
