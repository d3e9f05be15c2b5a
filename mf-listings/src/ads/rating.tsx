import type { AdCard } from '@alpenglow/domain/contracts';
import { useLocale } from '@alpenglow/ui';
import { useText } from '../text.ts';
import { formatRating } from './format-rating.ts';

/** The average rating of an ad as a number with a star. Shows nothing without reviews. */
export function Rating({ ad }: { readonly ad: Pick<AdCard, 'averageRating' | 'reviewCount'> }) {
  const t = useText();
  const locale = useLocale();
  if (ad.reviewCount === 0) return null;
  const rating = formatRating(ad.averageRating, locale);
  return (
    <span role="img" aria-label={t('ratingShort', { rating, count: ad.reviewCount })}>
      ★ {rating}
    </span>
  );
}
