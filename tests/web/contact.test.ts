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

  test('is absent without coordinates', () => {
    expect(mapLink(at({ latitude: '', longitude: '' }), '')).toBeUndefined();
  });
});
