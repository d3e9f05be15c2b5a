import { describe, expect, test } from 'vitest';
import { mediaIdOf } from '../../src/listing/fields.ts';
import { PHOTO_VARIANTS, photoUrl, photoView } from '../../src/media/views.ts';

const ids = { mediaId: 'm1', ownerId: 'anna' };
const url = '/uploads/photos/m1/1600.jpg';

describe('a photo as its owner sees it', () => {
  test('processing', () => {
    expect(photoView({ ...ids, status: 'processing' })).toEqual({ id: 'm1', url, status: 'processing', reason: null, width: 0, height: 0, blur: null });
  });
  test('ready', () => {
    const ready = { width: 1600, height: 1200, blur: 'data:,' };
    expect(photoView({ ...ids, status: 'ready', ...ready })).toEqual({ id: 'm1', url, status: 'ready', reason: null, ...ready });
  });
  test('rejected', () => {
    const reason = 'Please select an image file (JPG, PNG, GIF)';
    expect(photoView({ ...ids, status: 'rejected', code: 'NOT_AN_IMAGE', reason })).toMatchObject({ status: 'rejected', reason });
  });
  test('removed', () => {
    expect(photoView({ ...ids, status: 'removed' })).toMatchObject({ status: 'rejected', reason: 'This photo was removed' });
  });
});

test('an ad accepts the address an upload answered', () => {
  expect(mediaIdOf(photoUrl('demo-01'))).toBe('demo-01');
});

test('there is a variant for every width in every format', () => {
  expect(PHOTO_VARIANTS).toHaveLength(9);
  expect(PHOTO_VARIANTS).toContain('320.avif');
  expect(PHOTO_VARIANTS).toContain('1600.jpg');
});
