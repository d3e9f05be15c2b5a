import type { ContentView } from '@alpenglow/domain/contracts';
import { Button, useApi } from '@alpenglow/ui';
import { useReasonAction } from '../panel/use-reason-action.tsx';
import { useText } from '../text.ts';
import { caseRequests, MODERATION_KEY } from './api.ts';
import styles from './versions.module.css';

type Review = ContentView['reviews'][number];

interface ContentReviewsProps {
  readonly adId: string;
  readonly reviews: readonly Review[];
  /** True if the reviews differ from those of the version to compare with. */
  readonly isChanged: boolean;
}

/**
 * The reviews of a reported ad. A moderator can remove each of them, even after its author has deleted it.
 */
export function ContentReviews({ adId, reviews, isChanged }: ContentReviewsProps) {
  const t = useText();
  const api = useApi();
  const remove = useReasonAction<Review>({
    send: ({ id }, reason) => caseRequests(api).removeReview(adId, id, reason),
    dialog: ({ id, name }) => ({
      draftName: `remove-review.${id}`,
      title: t('reviews.removeTitle', { name }),
      text: t('reviews.removeText'),
      confirmLabel: t('reviews.removeNow'),
      isDangerous: true,
    }),
    doneText: () => t('reviews.removed'),
    failedText: () => t('reviews.removeFailed'),
    affectedQueries: () => ({ queryKey: MODERATION_KEY }),
  });
  // An open dialog stays, although the review may have been removed in the meantime.
  if (reviews.length === 0) return remove.dialog;
  return (
    <div data-changed={isChanged || undefined}>
      <h4 className={styles['quiet']}>{t('field.reviews')}</h4>
      <ul role="list" className={styles['reviews']}>
        {reviews.map((review) => (
          <li key={review.id}>
            <p>
              <strong>
                <bdi>{review.name === '' ? t('history.gone') : review.name}</bdi>
              </strong>{' '}
              · {t('history.stars', { rating: review.rating })}
            </p>
            <p dir="auto">{review.comment}</p>
            <Button
              size="small"
              variant="danger"
              aria-label={t('reviews.removeOf', { name: review.name })}
              onClick={() => remove.openDialog(review)}
            >
              {t('reviews.remove')}
            </Button>
          </li>
        ))}
      </ul>
      {remove.dialog}
    </div>
  );
}
