import { useId } from 'react';
import { RATING_MAX, RATING_MIN } from '@alpenglow/domain/contracts';
import { AlertIcon, layout, serverText, StarIcon, VisuallyHidden } from '@alpenglow/ui';
import { useText } from './text.ts';
import styles from './star-rating.module.css';

const RATINGS = Array.from({ length: RATING_MAX - RATING_MIN + 1 }, (_, index) => RATING_MIN + index);

export interface StarRatingProps {
  readonly value: number | null;
  readonly onChange: (rating: number) => void;
  readonly error: string | undefined;
}

/** A rating field with five stars. Each star is a radio button, so that keyboards and screen readers can use it. */
export function StarRating({ value, onChange, error }: StarRatingProps) {
  const t = useText();
  const name = useId();
  const errorId = `${name}-error`;
  return (
    <fieldset className={layout['stack1']} aria-describedby={error === undefined ? undefined : errorId}>
      <legend className={styles['legend']}>{t('reviewRating')}</legend>
      <div className={styles['stars']}>
        {RATINGS.map((rating) => (
          <label key={rating} className={styles['star']} data-full={value !== null && rating <= value}>
            <input
              type="radio"
              name={name}
              value={rating}
              checked={rating === value}
              required
              onChange={() => onChange(rating)}
            />
            <StarIcon size={1.9} />
            <VisuallyHidden>{t('stars', { rating })}</VisuallyHidden>
          </label>
        ))}
      </div>
      <div aria-live="polite">
        {error !== undefined && (
          <p id={errorId} className={styles['error']}>
            <AlertIcon />
            {serverText(error)}
          </p>
        )}
      </div>
    </fieldset>
  );
}
