import { useEffect, useRef, useState } from 'react';
import type { AdView, ReviewView } from '@alpenglow/domain/contracts';
import { classNames, ContactMarks, layout, useLocale, useTimeZone } from '@alpenglow/ui';
import { useText } from './text.ts';
import { OwnReviewActions, ReviewForm } from './lazy-parts.tsx';
import { RatingNumber, Stars } from './stars.tsx';
import { WriteReview } from './write-review.tsx';
import styles from './reviews.module.css';

export interface ReviewsProps {
  readonly ad: AdView;
  /** True if the ad is no longer active, so that it cannot be reviewed. */
  readonly readOnly: boolean;
}

/** An action of the author of a review. Its text has the id `review.{action}`. */
type DoneAction = 'sent' | 'changed' | 'deleted';

/** The reviews of an ad and the form for a new review. The author of a review can edit and delete it. */
export function Reviews({ ad, readOnly }: ReviewsProps) {
  const t = useText();
  const [done, setDone] = useState<DoneAction | null>(null);
  const doneText = useRef<HTMLParagraphElement>(null);
  useEffect(() => {
    // The form or the dialog no longer exists, so the focus moves to the message.
    if (done !== null) doneText.current?.focus();
  }, [done]);
  const canWrite = !readOnly && !ad.isOwner;
  const { ownReview } = ad;
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
            {ad.reviews.map((review) => (
              <li key={review.id}>
                {canWrite && review.id === ownReview?.id ? (
                  <OwnReview
                    adId={ad.id}
                    review={review}
                    hasContactDetails={ownReview.hasContactDetails}
                    onStart={() => setDone(null)}
                    onDone={setDone}
                  />
                ) : (
                  <Review review={review} />
                )}
              </li>
            ))}
          </ul>
        </>
      )}
      {done !== null && (
        <p ref={doneText} tabIndex={-1} role="status" className={styles['done']}>
          {t(`review.${done}`)}
        </p>
      )}
      {canWrite && ownReview?.isRemoved === true && <p className={styles['none']}>{t('reviewRemoved')}</p>}
      {canWrite && ownReview === null && (
        <WriteReview adId={ad.id} onStart={() => setDone(null)} onSent={() => setDone('sent')} />
      )}
    </section>
  );
}

/** Formats by language and time zone. Creating one takes longer than formatting the dates of all reviews. */
const dateFormats: Record<string, Intl.DateTimeFormat> = {};

const dateFormatOf = (locale: string, timeZone: string | undefined) =>
  (dateFormats[`${locale} ${timeZone}`] ??= new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone }));

function Review({ review }: { readonly review: ReviewView }) {
  const { name, rating, comment, createdAt, editedAt, isOfEarlierAd } = review;
  const t = useText();
  const locale = useLocale();
  const timeZone = useTimeZone();
  const format = dateFormatOf(locale, timeZone);
  const formatDate = (at: string) => format.format(new Date(at));
  return (
    <>
      <p className={styles['who']}>
        <strong>
          <bdi>
            <ContactMarks text={name === '' ? t('reviewErased') : name} />
          </bdi>
        </strong>{' '}
        <Stars rating={rating} />{' '}
        <span className={styles['date']}>
          <time suppressHydrationWarning dateTime={createdAt}>
            {formatDate(createdAt)}
          </time>
          {editedAt !== null && (
            <>
              {' · '}
              <time suppressHydrationWarning dateTime={editedAt}>
                {t('reviewEdited', { date: formatDate(editedAt) })}
              </time>
            </>
          )}
          {isOfEarlierAd && ` · ${t('reviewOfEarlierAd')}`}
        </span>
      </p>
      <p className={styles['comment']} dir="auto">
        <ContactMarks text={comment} />
      </p>
    </>
  );
}

interface OwnReviewProps {
  readonly adId: string;
  readonly review: ReviewView;
  /** True if others see marks instead of contact details in the review. */
  readonly hasContactDetails: boolean;
  /** Called when the author opens the form or the dialog. */
  readonly onStart: () => void;
  readonly onDone: (action: DoneAction) => void;
}

/** The review of the signed-in client, with buttons to edit and delete it. */
function OwnReview({ adId, review, hasContactDetails, onStart, onDone }: OwnReviewProps) {
  const [isEditing, setEditing] = useState(false);
  if (isEditing)
    return (
      <ReviewForm
        adId={adId}
        displayName={review.name}
        review={review}
        onSent={() => {
          setEditing(false);
          onDone('changed');
        }}
        onCancel={() => setEditing(false)}
      />
    );
  return (
    <>
      <Review review={review} />
      <OwnReviewActions
        adId={adId}
        reviewId={review.id}
        hasContactDetails={hasContactDetails}
        onEdit={() => {
          onStart();
          setEditing(true);
        }}
        onDelete={onStart}
        onDeleted={() => onDone('deleted')}
      />
    </>
  );
}
