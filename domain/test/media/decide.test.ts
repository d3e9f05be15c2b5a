import { describe, test } from 'vitest';
import type { DecisionContext } from '../../src/aggregate.ts';
import { MAX_FILE_bytes } from '../../src/constants.ts';
import {
  recordPhotoHash,
  recordPhotoVariants,
  recordVideoProbe,
  rejectMedia,
  removeMedia,
  uploadMedia,
} from '../../src/media/decide.ts';
import type { UploadMedia } from '../../src/media/commands.ts';
import type { MediaEvent } from '../../src/media/events.ts';
import { media, type MediaState } from '../../src/media/state.ts';
import { givenAggregate } from '../given.ts';

const upload: UploadMedia = {
  mediaId: 'm1',
  ownerId: 'anna',
  kind: 'photo',
  sizeBytes: 1000,
  contentType: 'image/jpeg',
};
const video: UploadMedia = { ...upload, kind: 'video', contentType: 'video/mp4' };
const ids = { mediaId: 'm1', ownerId: 'anna' };
const made = {
  width: 1600,
  height: 1200,
  blur: 'data:image/webp;base64,UklGRg==',
  hash: '00ff'.repeat(16),
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
const probe = { duration_s: 12.5, width: 1080, height: 1920, codec: 'h264', sizeBytes: 990, shortened_s: 1.5 };
const videoProbed: MediaEvent = { type: 'VideoProbed', data: { ...ids, ...probe, contentType: 'video/mp4' } };
const rejected: MediaEvent = {
  type: 'MediaRejected',
  data: { ...ids, code: 'NOT_AN_IMAGE', reason: 'Please select an image file (JPG, PNG, GIF)' },
};
const removed: MediaEvent = { type: 'MediaRemoved', data: ids };

const given = givenAggregate(media);

describe('uploading a file', () => {
  const uploading =
    (changes: Partial<UploadMedia> = {}) =>
    (state: MediaState, context: DecisionContext) =>
      uploadMedia({ ...upload, ...changes }, state, context);

  test('accepts a photo', () => {
    given().when(uploading()).then(uploaded);
  });
  test('accepts a photo of the maximum size', () => {
    given()
      .when(uploading({ sizeBytes: MAX_FILE_bytes }))
      .then({ ...uploaded, data: { ...uploaded.data, sizeBytes: MAX_FILE_bytes } });
  });
  test('rejects a photo that is one byte larger', () => {
    given()
      .when(uploading({ sizeBytes: MAX_FILE_bytes + 1 }))
      .thenThrows('IMAGE_TOO_LARGE');
  });
  test('rejects an empty photo', () => {
    given()
      .when(uploading({ sizeBytes: 0 }))
      .thenThrows('NO_PHOTO');
  });
  test.each(['image/svg+xml', 'application/pdf', 'text/html', 'video/mp4', 'image/heic', ''])(
    'rejects %s',
    (contentType) => {
      given().when(uploading({ contentType })).thenThrows('NOT_AN_IMAGE');
    },
  );
  test('accepts a video', () => {
    given().when(uploading(video)).then(videoUploaded);
  });
  test.each(['video/mp4', 'video/quicktime', 'video/x-msvideo', 'video/webm'])('accepts %s', (contentType) => {
    given()
      .when(uploading({ ...video, contentType }))
      .then({ ...videoUploaded, data: { ...videoUploaded.data, contentType } });
  });
  test('accepts a video of the maximum size, and rejects one that is one byte larger', () => {
    given()
      .when(uploading({ ...video, sizeBytes: MAX_FILE_bytes }))
      .then({ ...videoUploaded, data: { ...videoUploaded.data, sizeBytes: MAX_FILE_bytes } });
    given()
      .when(uploading({ ...video, sizeBytes: MAX_FILE_bytes + 1 }))
      .thenThrows('VIDEO_TOO_LARGE');
  });
  test('rejects an empty video', () => {
    given()
      .when(uploading({ ...video, sizeBytes: 0 }))
      .thenThrows('NO_VIDEO');
  });
  test.each(['image/jpeg', 'video/matroska', 'audio/mp4', 'text/html', ''])('rejects %s as a video', (contentType) => {
    given()
      .when(uploading({ ...video, contentType }))
      .thenThrows('NOT_A_VIDEO');
  });
  test('rejects a video under the id of a photo', () => {
    given(uploaded).when(uploading(video)).thenThrows('CONFLICT');
  });
  test('changes nothing for a repeated upload', () => {
    given(uploaded).when(uploading()).then();
  });
  test("rejects another account's id", () => {
    given(uploaded)
      .when(uploading({ ownerId: 'berta' }))
      .thenThrows('CONFLICT');
  });
});

describe('recording the variants of a photo', () => {
  const recording = (state: MediaState, context: DecisionContext) => recordPhotoVariants(made, state, context);

  test('makes the photo ready', () => {
    given(uploaded).when(recording).then(variantsMade);
  });
  test('is rejected for an unknown id', () => {
    given().when(recording).thenThrows('NOT_FOUND');
  });
  test('is rejected for a video', () => {
    given(videoUploaded).when(recording).thenThrows('NOT_FOUND');
  });
  test.each([
    ['ready', variantsMade],
    ['rejected', rejected],
    ['removed', removed],
  ])('changes nothing once it is %s', (_, verdict) => {
    given(uploaded, verdict).when(recording).then();
  });
});

test('the digests of a file are recorded with its result', () => {
  const digests = ['a1'.repeat(32), 'b2'.repeat(32)];
  given(uploaded)
    .decide(recordPhotoVariants, { ...made, digests })
    .then({ type: 'PhotoVariantsMade', data: { ...ids, ...made, digests } });
  given(videoUploaded)
    .decide(recordVideoProbe, { ...probe, digests })
    .then({ type: 'VideoProbed', data: { ...ids, ...probe, contentType: 'video/mp4', digests } });
});

describe('recording the probe of a video', () => {
  const recording = (state: MediaState, context: DecisionContext) => recordVideoProbe(probe, state, context);

  test('makes the video ready', () => {
    given(videoUploaded).when(recording).then(videoProbed);
  });
  test('is rejected for an unknown id and for photos', () => {
    given().when(recording).thenThrows('NOT_FOUND');
    given(uploaded).when(recording).thenThrows('NOT_FOUND');
  });
  test.each([
    ['ready', videoProbed],
    ['rejected', rejected],
    ['removed', removed],
  ])('changes nothing once it is %s', (_, verdict) => {
    given(videoUploaded, verdict).when(recording).then();
  });
});

describe('rejecting a file', () => {
  const rejecting = (state: MediaState, context: DecisionContext) =>
    rejectMedia({ code: 'NOT_AN_IMAGE' }, state, context);

  test('records the message of the catalogue as the reason', () => {
    given(uploaded).when(rejecting).then(rejected);
  });
  test('records that a video is too long', () => {
    given(videoUploaded)
      .decide(rejectMedia, { code: 'VIDEO_TOO_LONG' })
      .then({
        type: 'MediaRejected',
        data: { ...ids, code: 'VIDEO_TOO_LONG', reason: 'Video must be at most 20 seconds' },
      });
  });
  test('is rejected for an unknown id', () => {
    given().when(rejecting).thenThrows('NOT_FOUND');
  });
  test.each([
    ['ready', variantsMade],
    ['rejected', rejected],
    ['removed', removed],
  ])('changes nothing once it is %s', (_, verdict) => {
    given(uploaded, verdict).when(rejecting).then();
  });
  test('rejects a picture that is known to be illegal once, even if it is ready or removed', () => {
    const reject = (state: MediaState, context: DecisionContext) =>
      rejectMedia({ code: 'PHOTO_NOT_USABLE' }, state, context);
    const rejected = {
      type: 'MediaRejected',
      data: { ...ids, code: 'PHOTO_NOT_USABLE', reason: 'This photo cannot be used' },
    } as const;
    given(uploaded).when(reject).then(rejected);
    given(uploaded, removed).when(reject).then(rejected);
    given(uploaded, rejected).when(reject).then();
    given(uploaded, variantsMade).when(reject).then(rejected);
  });
});

describe('removing a file', () => {
  test.each([
    ['processing', [uploaded]],
    ['ready', [uploaded, variantsMade]],
    ['rejected', [uploaded, rejected]],
    ['a ready video', [videoUploaded, videoProbed]],
  ])('removes a file that is %s', (_, history) => {
    given(...history)
      .decide(removeMedia, {})
      .then(removed);
  });
  test('changes nothing the second time', () => {
    given(uploaded, removed).decide(removeMedia, {}).then();
  });
  test('changes nothing for an unknown id', () => {
    given().decide(removeMedia, {}).then();
  });
});

describe('the hash of a photo of an earlier version', () => {
  const withoutHash: MediaEvent = { type: 'PhotoVariantsMade', data: { ...ids, ...made, hash: '00ff00ff00ff00ff' } };
  const hashed: MediaEvent = { type: 'PhotoHashed', data: { ...ids, hash: '0ff0'.repeat(16) } };
  const hashing = (state: MediaState, context: DecisionContext) =>
    recordPhotoHash({ hash: '0ff0'.repeat(16) }, state, context);

  test('is recorded once', () => {
    given(uploaded, withoutHash).when(hashing).then(hashed);
    given(uploaded, withoutHash, hashed).when(hashing).then();
  });

  test.each([
    ['of a photo that has one', [uploaded, variantsMade]],
    ['of a photo that is not ready', [uploaded]],
    ['of a removed photo', [uploaded, withoutHash, removed]],
    ['of a video', [videoUploaded, videoProbed]],
  ])('is not recorded %s', (_, events) => {
    given(...events)
      .when(hashing)
      .then();
  });
});
