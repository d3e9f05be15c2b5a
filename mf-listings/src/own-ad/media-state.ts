import { isHousePicture, type AdCard, type PhotoView, type VideoView } from '@alpenglow/domain/contracts';

export interface MediaState {
  /** How many photos are how far; null: the ad has none of its own. */
  readonly photos: Readonly<Record<PhotoView['status'], number>> | null;
  readonly video: VideoView['status'] | null;
  /** Why photos or the video were refused, each reason once, in the server's words. */
  readonly reasons: readonly string[];
}

/** How an ad's photos and video stand. */
export function mediaStateOf({ media, videoMedia }: Pick<AdCard, 'media' | 'videoMedia'>): MediaState {
  const count = (status: PhotoView['status']) => media.filter((photo) => photo.status === status).length;
  const reasons = [...media, videoMedia].map((one) => one?.reason ?? null).filter((reason) => reason !== null);
  return {
    photos: media.every(({ id }) => isHousePicture(id))
      ? null
      : { ready: count('ready'), processing: count('processing'), rejected: count('rejected') },
    video: videoMedia?.status ?? null,
    reasons: [...new Set(reasons)],
  };
}

/** Something of the ad is still being made: it is worth asking again. */
export function isBeingMade({ media, videoMedia }: Pick<AdCard, 'media' | 'videoMedia'>): boolean {
  return videoMedia?.status === 'processing' || media.some(({ status }) => status === 'processing');
}

const FIRST_ms = 800;
const LAST_ms = 15_000;

/** How long until media in the making are asked for again: ever more seldom. */
export function nextLook_ms(looks: number): number {
  return Math.min(LAST_ms, FIRST_ms * 2 ** Math.min(looks, 8));
}
