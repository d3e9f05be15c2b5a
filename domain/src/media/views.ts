import { PHOTO_FORMATS, PHOTO_WIDTHS_px } from '../constants.ts';
import type { PhotoView, VideoView } from '../contracts/views.ts';
import type { MediaKind } from './fields.ts';
import { photoUrl } from './photo-url.ts';
import type { PhotoRecord, VideoRecord } from './state.ts';

/** The message for the owner of a file that was removed. */
export const REMOVED_MESSAGES: Readonly<Record<MediaKind, string>> = {
  photo: 'This photo was removed',
  video: 'This video was removed',
};

/** The file names of all resized variants of a photo, e.g. `640.avif`. URLs and blob keys end with these names. */
export const PHOTO_VARIANT_NAMES: readonly string[] = PHOTO_WIDTHS_px.flatMap((width) =>
  PHOTO_FORMATS.map((format) => `${width}.${format}`),
);

/** Returns the URL of a video. */
export function videoUrl(mediaId: string): string {
  return `/uploads/video/${mediaId}`;
}

/**
 * Returns the key of an uploaded original file in the blob store. Visitors never receive this file. It is deleted after
 * the photo or video is marked as ready or rejected.
 */
export const originalBlobKey = (mediaId: string) => `originals/${mediaId}`;

/**
 * Functions that return the keys of an upload that is not complete yet. Each block contains the bytes of the
 * file from an offset. Backups do not contain these files, because clients send them again.
 */
export const partialUploadKeys = {
  everything: 'partial/',
  ofAccount: (accountId: string) => `partial/${accountId}/`,
  infos: (accountId: string) => `partial/${accountId}/info/`,
  info: (accountId: string, uploadId: string) => `partial/${accountId}/info/${uploadId}`,
  blocks: (accountId: string, uploadId: string) => `partial/${accountId}/blocks/${uploadId}/`,
  block: (accountId: string, uploadId: string, offset: number) =>
    `partial/${accountId}/blocks/${uploadId}/${String(offset).padStart(10, '0')}`,
};

/**
 * Returns the key in the blob store for a picture that is known to be illegal. The picture is preserved for the
 * authorities and never served. Only an operator can remove it (decision 0047).
 */
export const preservedBlobKey = (mediaId: string) => `preserved/${mediaId}`;

/** Functions that return the keys of a photo's files in the blob store. */
export const photoBlobKeys = {
  original: originalBlobKey,
  variant: (mediaId: string, name: string) => `photos/${mediaId}/${name}`,
  variants: (mediaId: string) => `photos/${mediaId}/`,
};

/** Functions that return the keys of a video's files in the blob store. */
export const videoBlobKeys = {
  original: originalBlobKey,
  playable: (mediaId: string) => `videos/${mediaId}`,
};

/**
 * Returns the key in the blob store for the file that visitors load. A photo has several such files, so the key of a
 * photo is their common prefix, which ends in `/`.
 */
export const publicBlobKeys: Readonly<Record<MediaKind, (mediaId: string) => string>> = {
  photo: photoBlobKeys.variants,
  video: videoBlobKeys.playable,
};

/**
 * Returns the key in the blob store for the encrypted copy of a file that is evidence. `key` is the key of the
 * file that visitors loaded before.
 */
export const evidenceBlobKey = (key: string) => `evidence/${key}`;

/** The prefixes of all media keys in the blob store. The first prefix is for uploaded original files. */
export const BLOB_PREFIXES = ['originals/', 'photos/', 'videos/', 'identity/', 'preserved/', 'evidence/'] as const;

/** Returns a photo in the form in which the API sends it to clients. A removed photo has the status `rejected`. */
export function toPhotoView(media: PhotoRecord): PhotoView {
  const base = {
    id: media.mediaId,
    url: photoUrl(media.mediaId),
    reason: null,
    hold: null,
    width: 0,
    height: 0,
    blur: null,
  } as const;
  switch (media.status) {
    case 'processing':
      return { ...base, status: 'processing' };
    case 'ready':
      return { ...base, status: 'ready', width: media.width, height: media.height, blur: media.blur };
    case 'rejected':
      return { ...base, status: 'rejected', reason: media.reason };
    case 'removed':
      return { ...base, status: 'rejected', reason: REMOVED_MESSAGES.photo };
  }
}

/** Returns a video in the form in which the API sends it to clients. A removed video has the status `rejected`. */
export function toVideoView(media: VideoRecord): VideoView {
  const base = {
    id: media.mediaId,
    url: videoUrl(media.mediaId),
    reason: null,
    hold: null,
    width: 0,
    height: 0,
    duration: 0,
    contentType: null,
    shortenedBy: 0,
  };
  switch (media.status) {
    case 'processing':
      return { ...base, status: 'processing' };
    case 'ready':
      return {
        ...base,
        status: 'ready',
        width: media.width,
        height: media.height,
        duration: media.duration_s,
        contentType: media.contentType,
        shortenedBy: media.shortened_s,
      };
    case 'rejected':
      return { ...base, status: 'rejected', reason: media.reason };
    case 'removed':
      return { ...base, status: 'rejected', reason: REMOVED_MESSAGES.video };
  }
}
