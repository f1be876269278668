import { expect, test } from 'vitest';
import { discardPhotos } from '../../server/web/driver/photo-store.ts';

test('a photo that the disk does not delete keeps no other one', async () => {
  const gone: string[] = [];
  const discard = async (id: string): Promise<void> => {
    if (id === 'stuck') throw new Error('the disk is full');
    gone.push(id);
  };
  await discardPhotos({ discard }, ['stuck', 'door', 'dock'], [{ draft: { photos: ['dock'] }, stops: [] }]);
  expect(gone).toEqual(['door']);
});
