import { describe, expect, test } from 'vitest';
import { MAX_FILE_bytes } from '../../src/constants.ts';
import { DomainError, type ErrorCode } from '../../src/errors.ts';
import {
  recordPhotoVariants,
  recordVideoProbe,
  rejectMedia,
  removeMedia,
  uploadMedia,
} from '../../src/media/decide.ts';
import type { UploadMedia } from '../../src/media/commands.ts';
import type { MediaEvent } from '../../src/media/events.ts';
import { media, type MediaState } from '../../src/media/state.ts';

const upload: UploadMedia = {
  mediaId: 'm1',
  ownerId: 'anna',
  kind: 'photo',
  sizeBytes: 1000,
  contentType: 'image/jpeg',
};
const video: UploadMedia = { ...upload, kind: 'video', contentType: 'video/mp4' };
const AT = '2026-01-01T00:00:00.000Z';
const ids = { mediaId: 'm1', ownerId: 'anna' };
const made = {
  width: 1600,
  height: 1200,
  blur: 'data:image/webp;base64,UklGRg==',
  hash: '00ff00ff00ff00ff',
  variants: [{ name: '1600.jpg', sizeBytes: 90_000 }],
};

const uploaded: MediaEvent = {
  type: 'MediaUploaded',
  data: { ...ids, kind: 'photo', sizeBytes: 1000, contentType: 'image/jpeg' },
};
const variantsMade: MediaEvent = { type: 'PhotoVariantsMade', data: { ...ids, ...made } };
const videoUploaded: MediaEvent = {
  type: 'MediaUploaded',
  data: { ...ids, kind: 'video', sizeBytes: 1000, contentType: 'video/mp4' },
};
const probe = { duration_s: 12.5, width: 1080, height: 1920, codec: 'h264', sizeBytes: 990 };
const videoProbed: MediaEvent = { type: 'VideoProbed', data: { ...ids, ...probe, contentType: 'video/mp4' } };
const rejected: MediaEvent = {
  type: 'MediaRejected',
  data: { ...ids, code: 'NOT_AN_IMAGE', reason: 'Please select an image file (JPG, PNG, GIF)' },
};
const removed: MediaEvent = { type: 'MediaRemoved', data: ids };

function given(...events: MediaEvent[]) {
  const state = events.reduce<MediaState>((folded, event) => media.evolve(folded, event, AT), media.initial);
  return {
    when(decide: (state: MediaState) => readonly MediaEvent[]) {
      return {
        then: (...expected: MediaEvent[]) => expect(decide(state)).toEqual(expected),
        thenRefused: (code: ErrorCode) => {
          expect(() => decide(state)).toThrow(expect.objectContaining({ name: DomainError.name, code }));
        },
      };
    },
  };
}

describe('uploading', () => {
  const uploading =
    (changes: Partial<UploadMedia> = {}) =>
    (state: MediaState) =>
      uploadMedia({ ...upload, ...changes }, state);

  test('takes in a photo', () => {
    given().when(uploading()).then(uploaded);
  });
  test('takes in what is exactly as large as allowed', () => {
    given()
      .when(uploading({ sizeBytes: MAX_FILE_bytes }))
      .then({ ...uploaded, data: { ...uploaded.data, sizeBytes: MAX_FILE_bytes } });
  });
  test('refuses one byte more', () => {
    given()
      .when(uploading({ sizeBytes: MAX_FILE_bytes + 1 }))
      .thenRefused('IMAGE_TOO_LARGE');
  });
  test('refuses an empty file', () => {
    given()
      .when(uploading({ sizeBytes: 0 }))
      .thenRefused('NO_PHOTO');
  });
  test.each(['image/svg+xml', 'application/pdf', 'text/html', 'video/mp4', 'image/heic', ''])(
    'refuses %s',
    (contentType) => {
      given().when(uploading({ contentType })).thenRefused('NOT_AN_IMAGE');
    },
  );
  test('takes in a video', () => {
    given().when(uploading(video)).then(videoUploaded);
  });
  test.each(['video/mp4', 'video/quicktime', 'video/x-msvideo', 'video/webm'])('takes in %s', (contentType) => {
    given()
      .when(uploading({ ...video, contentType }))
      .then({ ...videoUploaded, data: { ...videoUploaded.data, contentType } });
  });
  test('takes in a video exactly as large as allowed, and refuses one byte more', () => {
    given()
      .when(uploading({ ...video, sizeBytes: MAX_FILE_bytes }))
      .then({ ...videoUploaded, data: { ...videoUploaded.data, sizeBytes: MAX_FILE_bytes } });
    given()
      .when(uploading({ ...video, sizeBytes: MAX_FILE_bytes + 1 }))
      .thenRefused('VIDEO_TOO_LARGE');
  });
  test('refuses an empty video', () => {
    given()
      .when(uploading({ ...video, sizeBytes: 0 }))
      .thenRefused('NO_VIDEO');
  });
  test.each(['image/jpeg', 'video/matroska', 'audio/mp4', 'text/html', ''])('refuses %s as a video', (contentType) => {
    given()
      .when(uploading({ ...video, contentType }))
      .thenRefused('NOT_A_VIDEO');
  });
  test('refuses a video under the id of a photo', () => {
    given(uploaded).when(uploading(video)).thenRefused('CONFLICT');
  });
  test('the same upload again changes nothing', () => {
    given(uploaded).when(uploading()).then();
  });
  test("refuses another account's id", () => {
    given(uploaded)
      .when(uploading({ ownerId: 'berta' }))
      .thenRefused('CONFLICT');
  });
});

describe('variants made', () => {
  const recording = (state: MediaState) => recordPhotoVariants(made, state);

  test('makes the photo ready', () => {
    given(uploaded).when(recording).then(variantsMade);
  });
  test('refuses what was never uploaded', () => {
    given().when(recording).thenRefused('NOT_FOUND');
  });
  test('refuses them of a video', () => {
    given(videoUploaded).when(recording).thenRefused('NOT_FOUND');
  });
  test.each([
    ['ready', variantsMade],
    ['rejected', rejected],
    ['removed', removed],
  ])('changes nothing once it is %s', (_, verdict) => {
    given(uploaded, verdict).when(recording).then();
  });
});

describe('a video probed', () => {
  const recording = (state: MediaState) => recordVideoProbe(probe, state);

  test('is ready', () => {
    given(videoUploaded).when(recording).then(videoProbed);
  });
  test('refuses what was never uploaded, and photos', () => {
    given().when(recording).thenRefused('NOT_FOUND');
    given(uploaded).when(recording).thenRefused('NOT_FOUND');
  });
  test.each([
    ['ready', videoProbed],
    ['rejected', rejected],
    ['removed', removed],
  ])('changes nothing once it is %s', (_, verdict) => {
    given(videoUploaded, verdict).when(recording).then();
  });
});

describe('rejecting', () => {
  const rejecting = (state: MediaState) => rejectMedia({ code: 'NOT_AN_IMAGE' }, state);

  test('says why in the words of the catalogue', () => {
    given(uploaded).when(rejecting).then(rejected);
  });
  test('says of a video that it is too long', () => {
    given(videoUploaded)
      .when((state) => rejectMedia({ code: 'VIDEO_TOO_LONG' }, state))
      .then({
        type: 'MediaRejected',
        data: { ...ids, code: 'VIDEO_TOO_LONG', reason: 'Video must be at most 20 seconds' },
      });
  });
  test('refuses what was never uploaded', () => {
    given().when(rejecting).thenRefused('NOT_FOUND');
  });
  test.each([
    ['ready', variantsMade],
    ['rejected', rejected],
    ['removed', removed],
  ])('changes nothing once it is %s', (_, verdict) => {
    given(uploaded, verdict).when(rejecting).then();
  });
  test('what is known to be illegal is said to be, even when it was taken back meanwhile; not twice', () => {
    const refusing = (state: MediaState) => rejectMedia({ code: 'PHOTO_NOT_USABLE' }, state);
    const refused = {
      type: 'MediaRejected',
      data: { ...ids, code: 'PHOTO_NOT_USABLE', reason: 'This photo cannot be used' },
    } as const;
    given(uploaded).when(refusing).then(refused);
    given(uploaded, removed).when(refusing).then(refused);
    given(uploaded, refused).when(refusing).then();
    given(uploaded, variantsMade).when(refusing).then();
  });
});

describe('removing', () => {
  test.each([
    ['processing', [uploaded]],
    ['ready', [uploaded, variantsMade]],
    ['rejected', [uploaded, rejected]],
    ['a ready video', [videoUploaded, videoProbed]],
  ])('takes away what is %s', (_, history) => {
    given(...history)
      .when(removeMedia)
      .then(removed);
  });
  test('twice changes nothing', () => {
    given(uploaded, removed).when(removeMedia).then();
  });
  test('what never was changes nothing', () => {
    given().when(removeMedia).then();
  });
});
