import { MAX_PHOTOS, PHOTO_FORMATS } from '../../constants.ts';
import { PHOTO_CONTENT_TYPES, VIDEO_CONTENT_TYPES } from '../../media/fields.ts';
import { bytes, empty, json, operation, UNCHANGED, type Answer, type Operation } from '../operation.ts';
import { photoUploadAnswer, videoUploadAnswer } from '../schemas/media.ts';
import { mediaId, photoVariant } from './parameters.ts';

const of = { tag: 'Uploads' } as const;
const PICTURES = PHOTO_FORMATS.map((format) => (format === 'jpg' ? 'image/jpeg' : `image/${format}`));

/** How bytes are answered, whole or in part. */
function served(contentTypes: readonly string[]): Readonly<Record<number, Answer>> {
  return {
    200: bytes(contentTypes, 'All of it.', ['ETag', 'Accept-Ranges', 'Content-Length']),
    206: bytes(contentTypes, 'The range that was asked for.', [
      'ETag',
      'Accept-Ranges',
      'Content-Length',
      'Content-Range',
    ]),
    304: UNCHANGED,
    416: empty('There is nothing in this range.', ['ETag', 'Content-Range']),
  };
}

/** `/uploads/*` of the specification, section 7, and where uploads are served. */
export const uploadOperations: readonly Operation[] = [
  operation({
    ...of,
    method: 'POST',
    path: '/uploads/photos',
    id: 'uploadPhotos',
    summary: 'Upload photos',
    description:
      'At most 5 of 100 MB each: all of them are taken, or none. The bytes decide what is a picture, not the name. No variant keeps EXIF or GPS.',
    access: 'bearer',
    body: { kind: 'files', field: 'photos', maxFiles: MAX_PHOTOS, contentTypes: PHOTO_CONTENT_TYPES },
    answers: {
      201: json(photoUploadAnswer, 'The photos can be shown.'),
      202: json(photoUploadAnswer, 'The photos are here; their variants are still being made.'),
    },
    errors: ['NO_PHOTO', 'NOT_AN_IMAGE', 'IMAGE_TOO_LARGE', 'TOO_MANY_PHOTOS', 'PHOTO_NOT_USABLE', 'NOT_FOUND'],
  }),
  operation({
    ...of,
    method: 'POST',
    path: '/uploads/video',
    id: 'uploadVideo',
    summary: 'Upload a video',
    description: 'One of at most 100 MB and 20 seconds.',
    access: 'bearer',
    body: { kind: 'files', field: 'video', maxFiles: 1, contentTypes: VIDEO_CONTENT_TYPES },
    answers: {
      201: json(videoUploadAnswer, 'The video can be played.'),
      202: json(videoUploadAnswer, 'The video is here, and still being looked at.'),
    },
    errors: ['NO_VIDEO', 'NOT_A_VIDEO', 'VIDEO_TOO_LARGE', 'VIDEO_TOO_LONG', 'ONE_VIDEO_ONLY', 'NOT_FOUND'],
  }),
  operation({
    ...of,
    method: 'GET',
    path: '/uploads/photos/{mediaId}/{variant}',
    id: 'getPhoto',
    summary: 'A variant of a photo',
    description:
      'Served at `/uploads/photos/…`, too. A variant never changes and may be kept for ever. One that is still being made is waited for.',
    pathParameters: { mediaId, variant: photoVariant },
    headers: ['Range', 'If-None-Match'],
    answers: served(PICTURES),
    errors: ['NOT_FOUND'],
  }),
  operation({
    ...of,
    method: 'GET',
    path: '/uploads/video/{mediaId}',
    id: 'getVideo',
    summary: 'A video',
    description: 'Served at `/uploads/video/…`, too.',
    pathParameters: { mediaId },
    headers: ['Range', 'If-None-Match'],
    answers: served(VIDEO_CONTENT_TYPES),
    errors: ['NOT_FOUND'],
  }),
];
