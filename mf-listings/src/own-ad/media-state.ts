import type { PhotoView } from '@alpenglow/domain/contracts';
import { fillCount, listingsMessages as text } from '@alpenglow/ui';

/** House pictures stand in for an ad without photos of its own. */
const isHousePicture = ({ id }: PhotoView) => id.startsWith('demo-');

export interface MediaState {
  /** `2 photos online`, `1 in preparation`, …; in the order that matters. */
  readonly lines: readonly string[];
  /** Why photos were refused, each reason once. */
  readonly reasons: readonly string[];
}

/** How an ad's photos stand, in words for its owner. */
export function mediaStateOf(media: readonly PhotoView[]): MediaState {
  const count = (status: PhotoView['status']) => media.filter((photo) => photo.status === status).length;
  if (media.length === 0 || media.every(isHousePicture)) return { lines: [text.mediaDemo], reasons: [] };
  const [ready, processing, rejected] = [count('ready'), count('processing'), count('rejected')];
  return {
    lines: [
      ...(ready > 0 ? [fillCount(ready, text.mediaReady)] : []),
      ...(processing > 0 ? [fillCount(processing, text.mediaPreparing)] : []),
      ...(rejected > 0 ? [fillCount(rejected, text.mediaRejected)] : []),
    ],
    reasons: [...new Set(media.map(({ reason }) => reason).filter((reason) => reason !== null))],
  };
}
