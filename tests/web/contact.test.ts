import { describe, expect, test } from 'vitest';
import { mapLink } from '../../server/web/driver/model/contact.ts';
import { stopOf } from './route-stop.ts';

const at = (coordinates: { readonly latitude: string; readonly longitude: string }) => {
  const { customer } = stopOf({});
  return { ...customer, location: { ...customer.location, coordinates } };
};

describe('the link to a map', () => {
  const place = { latitude: '41.881800', longitude: '-87.623200' };
  test.each([
    ['Android', 'Mozilla/5.0 (Linux; Android 15)', 'geo:41.881800,-87.623200?q=41.881800,-87.623200'],
    ['iOS', 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0)', 'https://maps.apple.com/?daddr=41.881800,-87.623200'],
    ['an iPad', 'Mozilla/5.0 (Macintosh; Intel Mac OS X)', 'https://maps.apple.com/?daddr=41.881800,-87.623200'],
  ])('opens an app on %s', (_, system, link) => {
    expect(mapLink(at(place), system)).toBe(link);
  });

  test.each([
    ['Android', '', 'geo:0,0?q=12%20Oak%20St%20%26%20Main%2C%20Chicago%2C%20IL%2060601'],
    ['iOS', 'iPhone', 'https://maps.apple.com/?daddr=12%20Oak%20St%20%26%20Main%2C%20Chicago%2C%20IL%2060601'],
  ])('names the address where the plan has no coordinates, on %s', (_, system, link) => {
    const customer = at({ latitude: '0.000000', longitude: '0.000000' });
    const address = { address: ['12 Oak St & Main', ''], city: 'Chicago', state: 'IL', zip: '60601' };
    expect(mapLink({ ...customer, location: { ...customer.location, ...address } }, system)).toBe(link);
  });

  test('is absent without coordinates and without an address', () => {
    expect(mapLink(at({ latitude: '', longitude: '' }), '')).toBeUndefined();
  });
});
