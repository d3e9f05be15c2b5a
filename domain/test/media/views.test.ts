import { describe, expect, test } from 'vitest';
import { mediaIdOf } from '../../src/listing/fields.ts';
import { photoUrl } from '../../src/media/photo-url.ts';
import {
  BLOB_FOLDERS,
  PHOTO_VARIANTS,
  photoBlobs,
  photoView,
  preservedBlob,
  shownBlobs,
  videoBlobs,
  videoView,
} from '../../src/media/views.ts';

const ids = { mediaId: 'm1', ownerId: 'anna', kind: 'photo' } as const;
const url = '/uploads/photos/m1/1600.jpg';

describe('a photo as its owner sees it', () => {
  test('processing', () => {
    expect(photoView({ ...ids, status: 'processing', contentType: 'image/jpeg' })).toEqual({
      id: 'm1',
      url,
      status: 'processing',
      reason: null,
      width: 0,
      height: 0,
      blur: null,
    });
  });
  test('ready', () => {
    const ready = { width: 1600, height: 1200, blur: 'data:,' };
    expect(photoView({ ...ids, status: 'ready', ...ready })).toEqual({
      id: 'm1',
      url,
      status: 'ready',
      reason: null,
      ...ready,
    });
  });
  test('rejected', () => {
    const reason = 'Please select an image file (JPG, PNG, GIF)';
    expect(photoView({ ...ids, status: 'rejected', code: 'NOT_AN_IMAGE', reason })).toMatchObject({
      status: 'rejected',
      reason,
    });
  });
  test('removed', () => {
    expect(photoView({ ...ids, status: 'removed' })).toMatchObject({
      status: 'rejected',
      reason: 'This photo was removed',
    });
  });
});

describe('a video as its owner sees it', () => {
  const video = { ...ids, kind: 'video' } as const;
  const none = {
    id: 'm1',
    url: '/uploads/video/m1',
    reason: null,
    width: 0,
    height: 0,
    duration: 0,
    contentType: null,
  };
  test('processing', () => {
    expect(videoView({ ...video, status: 'processing', contentType: 'video/mp4' })).toEqual({
      ...none,
      status: 'processing',
    });
  });
  test('ready', () => {
    const ready = { width: 640, height: 480, contentType: 'video/mp4' };
    expect(videoView({ ...video, status: 'ready', ...ready, duration_s: 12.5 })).toEqual({
      ...none,
      status: 'ready',
      ...ready,
      duration: 12.5,
    });
  });
  test('rejected', () => {
    const reason = 'Video must be at most 20 seconds';
    expect(videoView({ ...video, status: 'rejected', code: 'VIDEO_TOO_LONG', reason })).toEqual({
      ...none,
      status: 'rejected',
      reason,
    });
  });
  test('removed', () => {
    expect(videoView({ ...video, status: 'removed' })).toEqual({
      ...none,
      status: 'rejected',
      reason: 'This video was removed',
    });
  });
});

test('every blob lies in one of the folders a backup takes along', () => {
  for (const key of [
    photoBlobs.original('m1'),
    photoBlobs.variant('m1', '640.jpg'),
    videoBlobs.original('m1'),
    videoBlobs.playable('m1'),
    shownBlobs.photo('m1'),
    shownBlobs.video('m1'),
    preservedBlob('m1'),
  ])
    expect(
      BLOB_FOLDERS.some((folder) => key.startsWith(folder)),
      key,
    ).toBe(true);
});

test('an ad accepts the address an upload answered', () => {
  expect(mediaIdOf(photoUrl('demo-01'))).toBe('demo-01');
});

test('there is a variant for every width in every format', () => {
  expect(PHOTO_VARIANTS).toHaveLength(9);
  expect(PHOTO_VARIANTS).toContain('320.avif');
  expect(PHOTO_VARIANTS).toContain('1600.jpg');
});
