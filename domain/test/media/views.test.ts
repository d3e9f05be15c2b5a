import { describe, expect, test } from 'vitest';
import { parsePhotoUrl } from '../../src/listing/fields.ts';
import { photoUrl } from '../../src/media/photo-url.ts';
import {
  BLOB_PREFIXES,
  evidenceBlobKey,
  PHOTO_VARIANT_NAMES,
  photoBlobKeys,
  toPhotoView,
  preservedBlobKey,
  publicBlobKeys,
  videoBlobKeys,
  toVideoView,
} from '../../src/media/views.ts';

const ids = { mediaId: 'm1', ownerId: 'anna', uploadedAt: '2026-11-22T10:00:00.000Z', kind: 'photo' } as const;
const url = '/uploads/photos/m1/1600.jpg';

describe('the view of a photo', () => {
  test('has no size while it is processing', () => {
    expect(toPhotoView({ ...ids, status: 'processing', contentType: 'image/jpeg' })).toEqual({
      id: 'm1',
      url,
      status: 'processing',
      reason: null,
      hold: null,
      width: 0,
      height: 0,
      blur: null,
    });
  });
  test('has size and blur when it is ready', () => {
    const ready = { width: 1600, height: 1200, blur: 'data:,' };
    expect(toPhotoView({ ...ids, status: 'ready', ...ready, hash: null })).toEqual({
      id: 'm1',
      url,
      status: 'ready',
      reason: null,
      hold: null,
      ...ready,
    });
  });
  test('contains the reason of a rejection', () => {
    const reason = 'Please select an image file (JPG, PNG, GIF)';
    expect(toPhotoView({ ...ids, status: 'rejected', code: 'NOT_AN_IMAGE', reason })).toMatchObject({
      status: 'rejected',
      reason,
    });
  });
  test('shows a removed photo as rejected', () => {
    expect(toPhotoView({ ...ids, status: 'removed' })).toMatchObject({
      status: 'rejected',
      reason: 'This photo was removed',
    });
  });
});

describe('the view of a video', () => {
  const video = { ...ids, kind: 'video' } as const;
  const none = {
    id: 'm1',
    url: '/uploads/video/m1',
    reason: null,
    hold: null,
    width: 0,
    height: 0,
    duration: 0,
    contentType: null,
    shortenedBy: 0,
  };
  test('has no size while it is processing', () => {
    expect(toVideoView({ ...video, status: 'processing', contentType: 'video/mp4' })).toEqual({
      ...none,
      status: 'processing',
    });
  });
  test('has size, duration, content type and the missing seconds when it is ready', () => {
    const ready = { width: 640, height: 480, contentType: 'video/mp4' };
    expect(toVideoView({ ...video, status: 'ready', ...ready, duration_s: 12.5, shortened_s: 1.5 })).toEqual({
      ...none,
      status: 'ready',
      ...ready,
      duration: 12.5,
      shortenedBy: 1.5,
    });
  });
  test('contains the reason of a rejection', () => {
    const reason = 'Video must be at most 20 seconds';
    expect(toVideoView({ ...video, status: 'rejected', code: 'VIDEO_TOO_LONG', reason })).toEqual({
      ...none,
      status: 'rejected',
      reason,
    });
  });
  test('shows a removed video as rejected', () => {
    expect(toVideoView({ ...video, status: 'removed' })).toEqual({
      ...none,
      status: 'rejected',
      reason: 'This video was removed',
    });
  });
});

test('every blob is in one of the folders that a backup includes', () => {
  for (const key of [
    photoBlobKeys.original('m1'),
    photoBlobKeys.variant('m1', '640.jpg'),
    videoBlobKeys.original('m1'),
    videoBlobKeys.playable('m1'),
    publicBlobKeys.photo('m1'),
    publicBlobKeys.video('m1'),
    preservedBlobKey('m1'),
    evidenceBlobKey(publicBlobKeys.photo('m1')),
  ])
    expect(
      BLOB_PREFIXES.some((folder) => key.startsWith(folder)),
      key,
    ).toBe(true);
});

test('an ad accepts the URL from the response to an upload', () => {
  expect(parsePhotoUrl(photoUrl('demo-01'))).toBe('demo-01');
});

test('every width and format has a variant', () => {
  expect(PHOTO_VARIANT_NAMES).toHaveLength(9);
  expect(PHOTO_VARIANT_NAMES).toContain('320.avif');
  expect(PHOTO_VARIANT_NAMES).toContain('1600.jpg');
});
