import { expect, test } from 'vitest';
import type { PhotoView } from '@alpenglow/domain/contracts';
import { findPicture } from '../src/ads/find-picture.ts';

const photo = (id: string, hold: PhotoView['hold'] = null): PhotoView => ({
  id,
  url: `/uploads/photos/${id}/640.jpg`,
  status: hold === 'removed' ? 'rejected' : 'ready',
  reason: null,
  hold,
  width: 800,
  height: 1000,
  blur: null,
});
const ad = (status: 'active' | 'hidden', ...media: PhotoView[]) => ({
  status,
  media,
  photos: media.filter((item) => item.status !== 'rejected').map(({ url }) => url),
});

test('the table of ads shows the photo that visitors see first', () => {
  const shown = { url: photo('b').url, isBlurred: false };
  expect(findPicture(ad('active', photo('a', 'hidden'), photo('b')))).toEqual(shown);
  expect(findPicture(ad('active', photo('a', 'removed'), photo('b')))).toEqual(shown);
});

test('a photo that visitors do not see is blurred', () => {
  expect(findPicture(ad('active', photo('a', 'hidden')))).toEqual({ url: photo('a').url, isBlurred: true });
  expect(findPicture(ad('hidden', photo('a')))).toEqual({ url: photo('a').url, isBlurred: true });
});

test('an ad without photos of its own has its stock picture', () => {
  const stock = '/uploads/photos/demo-01/640.jpg';
  expect(findPicture({ status: 'active', media: [], photos: [stock] })).toEqual({ url: stock, isBlurred: false });
});
