import type { AdminAdView } from '@alpenglow/domain/contracts';
import { TimeAgo } from '@alpenglow/ui';
import { useText } from '../text.ts';

/** Shows when an ad was last bumped. A new ad has the time of its posting as its last bump, but was never bumped. */
export function BumpedAgo({ ad }: { readonly ad: Pick<AdminAdView, 'createdAt' | 'lastBumpedAt'> }) {
  const t = useText();
  return ad.lastBumpedAt === ad.createdAt ? t('ads.neverBumped') : <TimeAgo at={ad.lastBumpedAt} />;
}
