import type { AdminAdView } from '@alpenglow/domain/contracts';
import { Badge } from '@alpenglow/ui';
import { Badges } from '../panel/list-parts.tsx';
import { useText } from '../text.ts';

/** Badges for the state of an ad. */
export function AdBadges({ ad: { status, isFeatured, isDemo } }: { readonly ad: AdminAdView }) {
  const t = useText();
  return (
    <Badges>
      {status === 'hidden' ? (
        <Badge tone="danger">{t('ads.isHidden')}</Badge>
      ) : (
        <Badge tone="success">{t('ads.isLive')}</Badge>
      )}
      {isFeatured && <Badge tone="accent">{t('ads.featured')}</Badge>}
      {isDemo && <Badge>{t('field.isDemo')}</Badge>}
    </Badges>
  );
}
