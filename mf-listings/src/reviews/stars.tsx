import { classNames, StarIcon, useLocale, VisuallyHidden } from '@alpenglow/ui';
import { formatRating } from '../ads/format-rating.ts';
import { useText } from './text.ts';
import styles from './reviews.module.css';

const STARS = [1, 2, 3, 4, 5];

/** A rating as five stars, rounded to half stars. */
export function Stars({ rating }: { readonly rating: number }) {
  const t = useText();
  const rounded = Math.round(rating * 2) / 2;
  return (
    <span className={styles['stars']}>
      <VisuallyHidden>{t('stars', { rating })}</VisuallyHidden>
      {STARS.map((star) => (
        <Star key={star} fill={rounded >= star ? 'full' : rounded > star - 1 ? 'half' : 'empty'} />
      ))}
    </span>
  );
}

function Star({ fill }: { readonly fill: 'full' | 'half' | 'empty' }) {
  return (
    <span className={styles['star']} data-fill={fill}>
      <StarIcon size={1} className={styles['empty']} />
      {fill !== 'empty' && (
        <StarIcon size={1} className={classNames(styles['full'], fill === 'half' && styles['half'])} />
      )}
    </span>
  );
}

/** A rating with one decimal place, in the number format of the visitor's language. */
export function RatingNumber({ rating }: { readonly rating: number }) {
  const locale = useLocale();
  return formatRating(rating, locale);
}
