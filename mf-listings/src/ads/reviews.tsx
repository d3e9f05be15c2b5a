import type { AdView } from '@alpenglow/domain/contracts';
import { classNames, layout, StarIcon, useLocale, VisuallyHidden } from '@alpenglow/ui';
import { useText } from '../text.ts';
import { WriteReview } from './write-review.tsx';
import styles from './reviews.module.css';

const STARS = [1, 2, 3, 4, 5];

export function Stars({ rating }: { readonly rating: number }) {
  const t = useText();
  return (
    <span className={styles['stars']}>
      <VisuallyHidden>{t('stars', { rating })}</VisuallyHidden>
      {STARS.map((star) => (
        <StarIcon key={star} size={1} className={star <= Math.round(rating) ? styles['full'] : styles['empty']} />
      ))}
    </span>
  );
}

/** A rating with one decimal place, in the number format of the visitor's language. */
export function RatingNumber({ rating }: { readonly rating: number }) {
  const locale = useLocale();
  return rating.toLocaleString(locale, { minimumFractionDigits: 1, maximumFractionDigits: 1 });
}

export interface ReviewsProps {
  readonly ad: AdView;
  /** True if the ad is no longer active, so that it cannot be reviewed. */
  readonly readOnly: boolean;
}

/** The reviews of an ad and the form for a new review. */
export function Reviews({ ad, readOnly }: ReviewsProps) {
  const t = useText();
  return (
    <section className={layout['stack4']} aria-labelledby="reviews">
      <h2 id="reviews">{t('reviews')}</h2>
      {ad.reviews.length === 0 ? (
        <p className={styles['none']}>{t('noReviews')}</p>
      ) : (
        <>
          <p className={styles['summary']}>
            <strong>
              <RatingNumber rating={ad.averageRating} />
            </strong>{' '}
            <Stars rating={ad.averageRating} /> {t('reviewCount', { count: ad.reviews.length })}
          </p>
          <ul role="list" className={classNames(layout['stack4'], styles['list'])}>
            {ad.reviews.map((review, index) => (
              <li key={index}>
                <p className={styles['who']}>
                  <strong>{review.name}</strong> <Stars rating={review.rating} />
                </p>
                <p className={styles['comment']}>{review.comment}</p>
              </li>
            ))}
          </ul>
        </>
      )}
      {!readOnly && !ad.isOwner && <WriteReview adId={ad.id} />}
    </section>
  );
}
