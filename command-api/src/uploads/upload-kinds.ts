import {
  MAX_PHOTOS,
  photoUrl,
  toPhotoView,
  videoUrl,
  toVideoView,
  type ErrorCode,
  type MediaRecord,
  type PhotoRecord,
  type VideoRecord,
  type MediaKind,
  type ResponseOf,
} from '@alpenglow/domain';

/** The properties of one kind of upload: photos or videos. */
export interface UploadKind {
  readonly kind: MediaKind;
  /** Name of the file field in the multipart request. */
  readonly field: string;
  readonly maxFiles: number;
  readonly tooManyCode: ErrorCode;
  /**
   * Returns the response body for the uploaded files of a request. There is at least one file, and no file is rejected.
   */
  createResponse(judged: readonly MediaRecord[]): ResponseOf<'uploadPhotos'> | ResponseOf<'uploadVideo'>;
}

export const PHOTO_UPLOAD: UploadKind = {
  kind: 'photo',
  field: 'photos',
  maxFiles: MAX_PHOTOS,
  tooManyCode: 'TOO_MANY_PHOTOS',
  createResponse(judged) {
    const photos = judged.filter((file): file is PhotoRecord => file.kind === 'photo');
    return { success: true, urls: photos.map(({ mediaId }) => photoUrl(mediaId)), media: photos.map(toPhotoView) };
  },
};

export const VIDEO_UPLOAD: UploadKind = {
  kind: 'video',
  field: 'video',
  maxFiles: 1,
  tooManyCode: 'ONE_VIDEO_ONLY',
  createResponse(judged) {
    const video = judged.find((file): file is VideoRecord => file.kind === 'video');
    if (!video) throw new Error('The result of a video upload is not a video');
    return { success: true, url: videoUrl(video.mediaId), media: toVideoView(video) };
  },
};
