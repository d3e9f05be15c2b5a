import type { AdView } from '@alpenglow/domain/contracts';
import { fill, fillCount, listingsMessages as text, StarIcon, VisuallyHidden } from '@alpenglow/ui';
import styles from './reviews.module.css';

const STARS = [1, 2, 3, 4, 5];

export function Stars({ rating }: { readonly rating: number }) {
  return (
    <span className={styles['stars']}>
      <VisuallyHidden>{fill(text.stars, { rating })}</VisuallyHidden>
      {STARS.map((star) => (
        <StarIcon key={star} size={1} className={star <= Math.round(rating) ? styles['full'] : styles['empty']} />
      ))}
    </span>
  );
}

export function Reviews({ ad }: { readonly ad: Pick<AdView, 'reviews' | 'averageRating'> }) {
  return (
    <section className={styles['reviews']} aria-labelledby="reviews">
      <h2 id="reviews">{text.reviews}</h2>
      {ad.reviews.length === 0 ? (
        <p className={styles['none']}>{text.noReviews}</p>
      ) : (
        <>
          <p className={styles['summary']}>
            <strong>{ad.averageRating.toFixed(1)}</strong> <Stars rating={ad.averageRating} /> {fillCount(ad.reviews.length, text.reviewCount)}
          </p>
          <ul role="list" className={styles['list']}>
            {ad.reviews.map((review, index) => (
              <li key={index}>
                <p className={styles['who']}>
                  <strong>{review.name}</strong> <Stars rating={review.rating} />
                </p>
                <p>{review.comment}</p>
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  );
}
