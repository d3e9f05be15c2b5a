import type { AdCard, PhotoView } from '@alpenglow/domain/contracts';

/**
 * Checks whether the pages show a photo or video of an ad. The owner of the ad also receives files that moderation
 * hides, but sees them only while the whole ad is hidden. An ad that is online looks the same to everybody.
 */
export const isShown = ({ status }: Pick<AdCard, 'status'>, { hold }: Pick<PhotoView, 'hold'>): boolean =>
  // Cards that an older version stored in the browser have no `hold`.
  hold == null || status === 'hidden';
