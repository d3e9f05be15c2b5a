import * as z from 'zod/mini';
import { MAX_PHOTOS, PHOTO_FORMATS } from '../../constants.ts';
import { PHOTO_CONTENT_TYPES, VIDEO_CONTENT_TYPES } from '../../media/fields.ts';
import { binaryResponse, emptyResponse, jsonResponse, defineOperation, NOT_MODIFIED_RESPONSE } from '../operation.ts';
import {
  finishedUploadResponse,
  mediaAccessResponse,
  photoUploadResponse,
  videoUploadResponse,
} from '../schemas/media.ts';
import { mediaId, photoVariant, uploadId } from './parameters.ts';

const common = { tag: 'Uploads' } as const;
const access = {
  // A parameter that is given twice is no token.
  schema: z.pipe(
    z.transform((input: unknown) => (input === undefined || typeof input === 'string' ? input : '')),
    z.optional(z.string()),
  ),
  description: 'The token of `getMediaAccess`. A file that is not public needs it.',
  example: `owner.1790000000000.${'A'.repeat(43)}`,
};
const PICTURES = PHOTO_FORMATS.map((format) => (format === 'jpg' ? 'image/jpeg' : `image/${format}`));

/** The properties that both operations that begin a resumable upload have. */
const TUS_CREATION = {
  description: 'With the tus protocol 1.0.0. An incomplete upload expires after a day.',
  access: 'bearer',
  headers: ['Tus-Resumable', 'Upload-Length'],
  responses: {
    201: emptyResponse('The upload has begun.', ['Location', 'Upload-Expires']),
  },
} as const;

/** Declares the responses that contain a file, either completely or as a byte range. */
function fileResponses(contentTypes: readonly string[]) {
  return {
    200: binaryResponse(contentTypes, 'The whole file.', ['ETag', 'Accept-Ranges', 'Content-Length']),
    206: binaryResponse(contentTypes, 'The requested range.', [
      'ETag',
      'Accept-Ranges',
      'Content-Length',
      'Content-Range',
    ]),
    304: NOT_MODIFIED_RESPONSE,
    416: emptyResponse('The file does not contain this range.', ['ETag', 'Content-Range']),
  };
}

/** Operations below `/uploads`, and the operations that serve uploaded files. */
export const uploadOperations = [
  defineOperation('uploadPhotos', 'POST', '/uploads/photos', {
    ...common,
    rateLimits: ['uploads', 'uploads-of-network'],
    failureMessage: 'Photo upload failed: {message}',
    summary: 'Upload photos',
    description:
      'At most 5 photos of 100 MB each. All of them are accepted, or none. ' +
      'The bytes decide whether a file is a picture, not the name. Variants contain no EXIF or GPS data.',
    access: 'bearer',
    body: { kind: 'files', field: 'photos', maxFiles: MAX_PHOTOS, contentTypes: PHOTO_CONTENT_TYPES },
    responses: {
      201: jsonResponse(photoUploadResponse, 'The photos are ready.'),
      202: jsonResponse(photoUploadResponse, 'The photos were received. Their variants are still being created.'),
    },
    errors: [
      'NO_PHOTO',
      'NOT_AN_IMAGE',
      'IMAGE_DAMAGED',
      'TOO_MANY_PIXELS',
      'IMAGE_TOO_LARGE',
      'TOO_MANY_PHOTOS',
      'PHOTO_NOT_USABLE',
      'PHOTO_WAS_REMOVED',
      'FILE_NOT_READABLE',
      'NOT_FOUND',
    ],
  }),
  defineOperation('uploadVideo', 'POST', '/uploads/video', {
    ...common,
    rateLimits: ['videos', 'videos-of-network', 'uploads', 'uploads-of-network'],
    failureMessage: 'Video upload failed: {message}',
    summary: 'Upload a video',
    description: 'One video of at most 100 MB and 20 seconds.',
    access: 'bearer',
    body: { kind: 'files', field: 'video', maxFiles: 1, contentTypes: VIDEO_CONTENT_TYPES },
    responses: {
      201: jsonResponse(videoUploadResponse, 'The video is ready.'),
      202: jsonResponse(videoUploadResponse, 'The video was received and is still being checked.'),
    },
    errors: [
      'NO_VIDEO',
      'NOT_A_VIDEO',
      'VIDEO_DAMAGED',
      'VIDEO_NOT_SUPPORTED',
      'VIDEO_TOO_LARGE',
      'VIDEO_TOO_LONG',
      'VIDEO_TRIMMED',
      'VIDEO_WAS_REMOVED',
      'ONE_VIDEO_ONLY',
      'FILE_NOT_READABLE',
      'NOT_FOUND',
    ],
  }),
  defineOperation('createPhotoUpload', 'POST', '/uploads/resumable/photos', {
    ...common,
    ...TUS_CREATION,
    rateLimits: ['uploads', 'uploads-of-network'],
    failureMessage: 'Photo upload failed: {message}',
    summary: 'Begin a resumable upload of a photo',
    errors: ['IMAGE_TOO_LARGE'],
  }),
  defineOperation('createVideoUpload', 'POST', '/uploads/resumable/video', {
    ...common,
    ...TUS_CREATION,
    rateLimits: ['videos', 'videos-of-network', 'uploads', 'uploads-of-network'],
    failureMessage: 'Video upload failed: {message}',
    summary: 'Begin a resumable upload of a video',
    errors: ['VIDEO_TOO_LARGE'],
  }),
  defineOperation('getUploadOffset', 'GET', '/uploads/resumable/{uploadId}', {
    ...common,
    service: 'command',
    summary: 'Get the offset of a resumable upload',
    description: 'The tus protocol uses `HEAD`.',
    access: 'bearer',
    pathParameters: { uploadId },
    headers: ['Tus-Resumable'],
    responses: {
      200: emptyResponse('The offset of the next byte.', ['Upload-Length', 'Upload-Offset']),
    },
    errors: ['NOT_FOUND'],
  }),
  defineOperation('appendToUpload', 'PATCH', '/uploads/resumable/{uploadId}', {
    ...common,
    summary: 'Send bytes of a resumable upload',
    description: 'The response is 409 if `Upload-Offset` is not the number of bytes that the server has.',
    access: 'bearer',
    pathParameters: { uploadId },
    headers: ['Tus-Resumable', 'Upload-Offset'],
    body: { kind: 'bytes', contentType: 'application/offset+octet-stream' },
    responses: {
      204: emptyResponse('The bytes are stored.', ['Upload-Offset', 'Upload-Expires']),
    },
    errors: ['NOT_FOUND', 'CONFLICT', 'IMAGE_TOO_LARGE', 'VIDEO_TOO_LARGE'],
  }),
  defineOperation('cancelUpload', 'DELETE', '/uploads/resumable/{uploadId}', {
    ...common,
    summary: 'Cancel a resumable upload',
    access: 'bearer',
    pathParameters: { uploadId },
    headers: ['Tus-Resumable'],
    responses: { 204: emptyResponse('The upload is removed.') },
    errors: ['NOT_FOUND'],
  }),
  defineOperation('finishUpload', 'POST', '/uploads/resumable/{uploadId}/finish', {
    ...common,
    failureMessage: 'Upload failed: {message}',
    summary: 'Finish a resumable upload',
    description: 'Checks the file after all its bytes have arrived. The request can be repeated.',
    access: 'bearer',
    pathParameters: { uploadId },
    responses: {
      201: jsonResponse(finishedUploadResponse, 'The photo or video is ready.'),
      202: jsonResponse(finishedUploadResponse, 'The photo or video was received and is still being checked.'),
    },
    errors: [
      'NOT_FOUND',
      'CONFLICT',
      'UPLOAD_BROKEN_OFF',
      'UPLOADS_BUSY',
      'NO_PHOTO',
      'NOT_AN_IMAGE',
      'IMAGE_DAMAGED',
      'TOO_MANY_PIXELS',
      'IMAGE_TOO_LARGE',
      'PHOTO_NOT_USABLE',
      'PHOTO_WAS_REMOVED',
      'NO_VIDEO',
      'NOT_A_VIDEO',
      'VIDEO_DAMAGED',
      'VIDEO_NOT_SUPPORTED',
      'VIDEO_TOO_LARGE',
      'VIDEO_TOO_LONG',
      'VIDEO_TRIMMED',
      'VIDEO_WAS_REMOVED',
      'FILE_NOT_READABLE',
    ],
  }),
  defineOperation('getPhoto', 'GET', '/uploads/photos/{mediaId}/{variant}', {
    ...common,
    summary: 'Get a variant of a photo',
    description:
      'Also served at `/uploads/photos/…`. A photo is public while a visible ad or a published article shows it. ' +
      'Caches must follow `Cache-Control`. The response waits for a variant that is still being created.',
    pathParameters: { mediaId, variant: photoVariant },
    queryParameters: { access },
    headers: ['Range', 'If-None-Match'],
    responses: fileResponses(PICTURES),
    errors: ['NOT_FOUND'],
  }),
  defineOperation('getVideo', 'GET', '/uploads/video/{mediaId}', {
    ...common,
    summary: 'Get a video',
    description: 'Also served at `/uploads/video/…`. Public under the same conditions as a photo.',
    pathParameters: { mediaId },
    queryParameters: { access },
    headers: ['Range', 'If-None-Match'],
    responses: fileResponses(VIDEO_CONTENT_TYPES),
    errors: ['NOT_FOUND'],
  }),
  defineOperation('getMediaAccess', 'GET', '/media/{mediaId}/access', {
    ...common,
    summary: 'Get access to a file that is not public',
    description:
      'Returns a token for your own photo or video, and for moderators also for files of others. The token is valid ' +
      'for this file and for 10 minutes. Each access of a moderator is logged.',
    access: 'bearer',
    pathParameters: { mediaId },
    headers: ['X-Wait-Position'],
    responses: { 200: jsonResponse(mediaAccessResponse, 'The token, or null if the file is public.') },
    errors: ['NOT_FOUND'],
  }),
];
