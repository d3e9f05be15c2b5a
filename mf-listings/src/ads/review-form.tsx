import { useEffect, useRef, useState, type FormEvent } from 'react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { REVIEW_COMMENT_MAX, reviewFields, type ReviewFields } from '@alpenglow/domain/contracts';
import { adKeys, Button, ErrorBox, Field, isApiError, messageOf, TextArea, useApi } from '@alpenglow/ui';
import { errorsByField } from '../account/field-errors.ts';
import { useText } from '../text.ts';
import { StarRating } from './star-rating.tsx';
import styles from './reviews.module.css';

export interface ReviewFormProps {
  readonly adId: string;
  /** What the review is signed with. */
  readonly displayName: string;
  readonly onSent: () => void;
  readonly onCancel: () => void;
}

/** Stars and a few words, by the rules the server has too. */
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
    // Once it is among the others, it is said that it is there.
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
    const checked = reviewFields.safeParse({ rating: rating ?? undefined, comment });
    const found = checked.success ? {} : errorsByField(checked.error);
    setErrors(found);
    if (checked.success) return send.mutate(checked.data);
    form.current?.querySelector<HTMLElement>('rating' in found ? 'input' : 'textarea')?.focus();
  };
  const refused = isApiError(send.error) ? send.error.fields : {};

  return (
    <form ref={form} className={styles['form']} noValidate onSubmit={submit} aria-labelledby="write-review">
      <h3 id="write-review">{t('reviewWrite')}</h3>
      <StarRating value={rating} onChange={setRating} error={errors['rating'] ?? refused['rating']} />
      <Field
        label={t('reviewComment')}
        hint={t('reviewLeft', { count: REVIEW_COMMENT_MAX - comment.length })}
        error={errors['comment'] ?? refused['comment']}
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
      <div className={styles['buttons']}>
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
