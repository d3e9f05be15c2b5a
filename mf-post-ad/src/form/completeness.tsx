import { useText } from '../text.ts';
import { useDebounced } from '@alpenglow/ui';
import { AD_PARTS, findMissingParts, hasContactFields } from './missing-parts.ts';
import type { FormValues } from './form-values.ts';
import { useFormValues, type WatchedForm } from './use-form-values.ts';
import { useVisitorTexts } from './use-visitor-texts.ts';
import styles from './completeness.module.css';

interface CompletenessProps extends WatchedForm {
  /** The number of photos that visitors will see. */
  readonly photos: number;
}

const TYPING_PAUSE_ms = 1_000;

/** Returns the values of the form after a pause in typing. */
function useSettledValues(values: FormValues): FormValues {
  return JSON.parse(useDebounced(JSON.stringify(values), TYPING_PAUSE_ms)) as FormValues;
}

/** Shows how complete the ad is and what is missing. Warns if the ad has no way to contact the provider. */
export function Completeness({ photos, ...form }: CompletenessProps) {
  const t = useText();
  const values = useFormValues(form);
  const settled = useSettledValues(values);
  const contactsInTexts = useVisitorTexts(settled, !hasContactFields(settled))?.hidden ?? 0;
  const missing = findMissingParts(values, { photos, contactsInTexts });
  const done = AD_PARTS.length - missing.length;
  return (
    <section
      className={styles['box']}
      data-warning={missing.includes('contact') || undefined}
      aria-labelledby="complete"
    >
      <h2 id="complete">{missing.length === 0 ? t('complete') : t('completeOf', { done, count: AD_PARTS.length })}</h2>
      <progress value={done} max={AD_PARTS.length} aria-labelledby="complete" />
      {missing.length > 0 && (
        <ul className={styles['missing']}>
          {missing.map((part) => (
            <li key={part}>
              {part === 'contact' ? <strong>{t('missingPart.contact')}</strong> : t(`missingPart.${part}`)}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
