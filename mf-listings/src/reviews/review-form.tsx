import { useEffect, useRef, useState, type FormEvent } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import {
  getMinutesLeft,
  NEW_ACCOUNT_WAIT_ms,
  REVIEW_COMMENT_MAX,
  reviewFields,
  type ReviewFields,
  type ReviewView,
} from '@alpenglow/domain/contracts';
import {
  addReview,
  adKeys,
  Button,
  editReview,
  ErrorBox,
  errorsByField,
  Field,
  isApiError,
  layout,
  messageOf,
  RestoredText,
  TextArea,
  useApi,
  useHost,
  useNow,
  useTextDraft,
  useSend,
} from '@alpenglow/ui';
import { useText } from './text.ts';
import { StarRating } from './star-rating.tsx';
import styles from './reviews.module.css';

export interface ReviewFormProps {
  readonly adId: string;
  readonly displayName: string;
  /** The review to edit. Without it, the form sends a new review. */
  readonly review?: ReviewView;
  readonly onSent: () => void;
  readonly onCancel: () => void;
}

/**
 * A form for the rating and the comment of a review. It uses the validation rules of the server. After the first
 * attempt to send the form, each error is shown until its field is valid. Unsent text is stored in this browser.
 */
export default function ReviewForm({ adId, displayName, review, onSent, onCancel }: ReviewFormProps) {
  const t = useText();
  const api = useApi();
  const queryClient = useQueryClient();
  const form = useRef<HTMLFormElement>(null);
  const draft = useTextDraft(`review.${adId}${review ? `.${review.id}` : ''}`, { in: 'browser' });
  const initial = { rating: review?.rating ?? null, comment: review?.comment ?? '' };
  const [rating, setRating] = useState<number | null>(parseRating(draft.texts['rating']) ?? initial.rating);
  const [comment, setComment] = useState(draft.texts['comment'] ?? initial.comment);
  const [isAttempted, setAttempted] = useState(false);
  const send = useSend({
    mutationFn: (fields: ReviewFields) =>
      review ? editReview(api, adId, review.id, fields) : addReview(api, adId, fields),
    // Reloads the ad before `onSent` is called, so that the reviews of the ad contain the review at that time. The
    // average in the lists is reloaded, too.
    onSuccess: async () => {
      draft.clear();
      await queryClient.invalidateQueries({ queryKey: adKeys.all });
      onSent();
    },
  });
  useEffect(() => {
    form.current?.querySelector('input')?.focus();
  }, []);

  const validation = reviewFields.safeParse({ rating: rating ?? undefined, comment });
  const messages = validation.success ? {} : errorsByField(validation.error);
  const fieldErrors = {
    ...('rating' in messages && { rating: t('reviewRatingMissing') }),
    ...('comment' in messages && {
      comment: comment.trim() === '' ? t('reviewCommentMissing') : messages['comment'],
    }),
  };
  const rejectedFields = isApiError(send.error) ? send.error.fields : {};
  const errors = { ...rejectedFields, ...(isAttempted && fieldErrors) };

  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (send.isPending) return;
    setAttempted(true);
    if (validation.success) return send.mutate(validation.data);
    form.current?.querySelector<HTMLElement>('rating' in messages ? 'input' : 'textarea')?.focus();
  };
  // An error of the server is about the sent values, so it disappears with the next change.
  const change = (changed: Partial<typeof initial>) => {
    if (send.isError) send.reset();
    const next = { rating, comment, ...changed };
    setRating(next.rating);
    setComment(next.comment);
    const isUnchanged = next.comment === initial.comment;
    draft.save(isUnchanged ? {} : { rating: String(next.rating ?? ''), comment: next.comment });
  };
  const label = review ? t('reviewEditTitle') : t('reviewWrite');

  return (
    <form ref={form} className={styles['form']} noValidate onSubmit={submit} aria-labelledby="write-review">
      <h3 id="write-review">{label}</h3>
      {!review && <WaitNote />}
      <RestoredText
        draft={draft}
        onDiscard={() => {
          setRating(initial.rating);
          setComment(initial.comment);
        }}
      />
      <StarRating value={rating} onChange={(value) => change({ rating: value })} error={errors['rating']} />
      <Field
        label={t('reviewComment')}
        hint={t('reviewLeft', { count: REVIEW_COMMENT_MAX - comment.length })}
        error={errors['comment']}
      >
        <TextArea
          value={comment}
          maxLength={REVIEW_COMMENT_MAX}
          required
          onChange={({ target }) => change({ comment: target.value })}
        />
      </Field>
      <p className={styles['none']}>
        {t('reviewSignedAs', { name: displayName })} {t('reviewContacts')}
      </p>
      {send.isError && <ErrorBox message={messageOf(send.error, t('api.reviewFailed'))} />}
      <div className={layout['row3']}>
        <Button type="submit" variant="primary" busy={send.isPending}>
          {send.isPending ? t('reviewSending') : t(review ? 'reviewSave' : 'reviewSend')}
        </Button>
        <Button variant="quiet" disabled={send.isPending} onClick={onCancel}>
          {t('common.cancel')}
        </Button>
      </div>
    </form>
  );
}

/** Announces how long a new account still has to wait before it may review ads (R-5.30), and counts down. */
function WaitNote() {
  const t = useText();
  const { session } = useHost();
  const now_ms = useNow();
  if (session.state !== 'authenticated') return null;
  const minutes = getMinutesLeft(session.user.writesFrom ?? null, now_ms, NEW_ACCOUNT_WAIT_ms);
  return minutes === 0 ? null : <p className={styles['none']}>{t('reviewWait', { minutes })}</p>;
}

/** Returns the rating in a stored draft, or null. */
function parseRating(text: string | undefined): number | null {
  return text !== undefined && /^[1-5]$/u.test(text) ? Number(text) : null;
}
