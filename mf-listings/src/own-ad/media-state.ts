import type { AdCard, PhotoView, VideoView } from '@alpenglow/domain/contracts';

export interface MediaState {
  /** The number of photos by status. */
  readonly photos: Readonly<Record<PhotoView['status'], number>>;
  readonly video: VideoView['status'] | null;
  /** Seconds of the uploaded video that are missing in the published one. */
  readonly shortenedBy: number;
  /** The reasons why the server rejected photos or the video. Each reason occurs once. */
  readonly reasons: readonly string[];
}

/** Returns the state of an ad's photos and video. */
export function getMediaState({ media, videoMedia }: Pick<AdCard, 'media' | 'videoMedia'>): MediaState {
  const count = (status: PhotoView['status']) => media.filter((photo) => getShownStatus(photo) === status).length;
  const reasons = [...media, videoMedia].map((item) => item?.reason ?? null).filter((reason) => reason !== null);
  return {
    photos: { ready: count('ready'), processing: count('processing'), rejected: count('rejected') },
    video: videoMedia && getShownStatus(videoMedia),
    shortenedBy: videoMedia?.shortenedBy ?? 0,
    reasons: [...new Set(reasons)],
  };
}

/** Returns the status for visitors. A file that moderation hides is rejected for them. */
const getShownStatus = ({ status, hold }: Pick<PhotoView, 'status' | 'hold'>) => (hold == null ? status : 'rejected');

/** Checks whether a photo or the video is still being processed, so that the page must poll. */
export function isProcessing({ media, videoMedia }: Pick<AdCard, 'media' | 'videoMedia'>): boolean {
  return videoMedia?.status === 'processing' || media.some(({ status }) => status === 'processing');
}

const FIRST_ms = 800;
const LAST_ms = 15_000;

/** Returns the delay before the next poll. The delay doubles with each attempt, up to 15 s. */
export function getPollDelay_ms(attempts: number): number {
  return Math.min(LAST_ms, FIRST_ms * 2 ** Math.min(attempts, 8));
}
