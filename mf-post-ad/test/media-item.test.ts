import { expect, test } from 'vitest';
import type { PhotoView } from '@alpenglow/domain/contracts';
import { findCover, isHiddenByModeration, toPhotoItems } from '../src/media/media-item.ts';

const photo = (id: string, changes: Partial<PhotoView> = {}): PhotoView => ({
  id,
  url: `/uploads/photos/${id}/640.jpg`,
  status: 'ready',
  reason: null,
  hold: null,
  width: 800,
  height: 1000,
  blur: null,
  ...changes,
});

test('a photo that moderation hides has a mark, and the first photo that visitors see is the cover', () => {
  const items = toPhotoItems(
    [
      photo('hidden', { hold: 'hidden' }),
      photo('removed', { hold: 'removed', status: 'rejected', reason: 'This photo was removed' }),
      photo('first'),
      photo('second'),
    ],
    true,
  );
  expect(items.map(isHiddenByModeration)).toEqual([true, false, false, false]);
  expect(findCover(items)?.key).toBe('first');
});

test('an ad whose photos are all hidden has no cover', () => {
  expect(findCover(toPhotoItems([photo('hidden', { hold: 'hidden' })], true))).toBeNull();
});
