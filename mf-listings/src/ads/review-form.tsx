import { useEffect, useRef, useState, type FormEvent } from 'react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { REVIEW_COMMENT_MAX, reviewFields, type ReviewFields } from '@alpenglow/domain/contracts';
import {
  adKeys,
  Button,
  ErrorBox,
  errorsByField,
  Field,
  isApiError,
  layout,
  messageOf,
  TextArea,
  useApi,
} from '@alpenglow/ui';
import { useText } from '../text.ts';
import { StarRating } from './star-rating.tsx';
import styles from './reviews.module.css';

export interface ReviewFormProps {
  readonly adId: string;
  readonly displayName: string;
  readonly onSent: () => void;
  readonly onCancel: () => void;
}

/** A form for a rating and a comment. It uses the validation rules of the server. */
export function ReviewForm({ adId, displayName, onSent, onCancel }: ReviewFormProps) {
  const t = useText();
  const api = useApi();
  const queryClient = useQueryClient();
  const form = useRef<HTMLFormElement>(null);
  const [rating, setRating] = useState<number | null>(null);
  const [comment, setComment] = useState('');
  const [errors, setErrors] = useState<Readonly<Record<string, string>>>({});
  const send = useMutation({
    mutationFn: (fields: ReviewFields) => api.addReview(adId, fields),
    // Reloads the ad before `onSent` is called, so that the reviews of the ad contain the new review at that time.
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: [...adKeys.all, 'detail', adId] });
      onSent();
    },
  });
  useEffect(() => {
    form.current?.querySelector('input')?.focus();
  }, []);

  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (send.isPending) return;
    const validation = reviewFields.safeParse({ rating: rating ?? undefined, comment });
    const fieldErrors = validation.success ? {} : errorsByField(validation.error);
    setErrors(fieldErrors);
    if (validation.success) return send.mutate(validation.data);
    form.current?.querySelector<HTMLElement>('rating' in fieldErrors ? 'input' : 'textarea')?.focus();
  };
  const rejectedFields = isApiError(send.error) ? send.error.fields : {};

  return (
    <form ref={form} className={styles['form']} noValidate onSubmit={submit} aria-labelledby="write-review">
      <h3 id="write-review">{t('reviewWrite')}</h3>
      <StarRating value={rating} onChange={setRating} error={errors['rating'] ?? rejectedFields['rating']} />
      <Field
        label={t('reviewComment')}
        hint={t('reviewLeft', { count: REVIEW_COMMENT_MAX - comment.length })}
        error={errors['comment'] ?? rejectedFields['comment']}
      >
        <TextArea
          value={comment}
          maxLength={REVIEW_COMMENT_MAX}
          required
          onChange={({ target }) => setComment(target.value)}
        />
      </Field>
      <p className={styles['none']}>{t('reviewSignedAs', { name: displayName })}</p>
      {send.isError && <ErrorBox message={messageOf(send.error, t('api.reviewFailed'))} />}
      <div className={layout['row3']}>
        <Button type="submit" variant="primary" busy={send.isPending}>
          {send.isPending ? t('reviewSending') : t('reviewSend')}
        </Button>
        <Button variant="quiet" disabled={send.isPending} onClick={onCancel}>
          {t('common.cancel')}
        </Button>
      </div>
    </form>
  );
}
