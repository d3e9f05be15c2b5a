import {
  MAX_PHOTOS,
  photoUrl,
  photoView,
  videoUrl,
  videoView,
  type ErrorCode,
  type KnownMedia,
  type KnownPhoto,
  type KnownVideo,
  type MediaKind,
  type UploadAnswer,
  type VideoUploadAnswer,
} from '@alpenglow/domain';

/** What sets one kind of upload apart from another. */
export interface UploadKind {
  readonly kind: MediaKind;
  /** Of the multipart request (specification, section 7, "Uploads"). */
  readonly field: string;
  readonly maxFiles: number;
  readonly tooMany: ErrorCode;
  /** What the client is told of files that were taken in, at least one. */
  answerOf(judged: readonly KnownMedia[]): UploadAnswer | VideoUploadAnswer;
}

export const PHOTOS: UploadKind = {
  kind: 'photo',
  field: 'photos',
  maxFiles: MAX_PHOTOS,
  tooMany: 'TOO_MANY_PHOTOS',
  answerOf(judged) {
    const photos = judged.filter((file): file is KnownPhoto => file.kind === 'photo');
    return { success: true, urls: photos.map(({ mediaId }) => photoUrl(mediaId)), media: photos.map(photoView) };
  },
};

export const VIDEO: UploadKind = {
  kind: 'video',
  field: 'video',
  maxFiles: 1,
  tooMany: 'ONE_VIDEO_ONLY',
  answerOf(judged) {
    const video = judged.find((file): file is KnownVideo => file.kind === 'video');
    if (!video) throw new Error('An upload of a video was judged as something else');
    return { success: true, url: videoUrl(video.mediaId), media: videoView(video) };
  },
};
