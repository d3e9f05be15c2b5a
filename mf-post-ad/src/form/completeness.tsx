import { useFormState, type FieldErrors } from 'react-hook-form';
import { SOCIAL_NETWORK_NAMES, type SocialNetwork } from '@alpenglow/domain/contracts';
import { useDebounced } from '@alpenglow/ui';
import { useText } from '../text.ts';
import { findInvalidFields, toFieldNames, type FieldName, type FormValues } from './form-values.ts';
import { AD_PARTS, findFieldsToCorrect, findMissingParts, hasContactFields } from './missing-parts.ts';
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

/** Returns the fields that are marked as invalid, also those that only the server rejects, such as phone numbers. */
const getMarkedFields = ({ socialMedia = {}, ...others }: FieldErrors<FormValues>): readonly FieldName[] =>
  toFieldNames([
    ...Object.keys(others).map((field) => [field]),
    ...Object.keys(socialMedia).map((network) => ['socialMedia', network]),
  ]);

/**
 * Shows how complete the ad is and what is missing. Warns if the ad has no way to contact the provider. An ad
 * with invalid fields is not complete.
 */
export function Completeness({ photos, ...form }: CompletenessProps) {
  const t = useText();
  const values = useFormValues(form);
  const settled = useSettledValues(values);
  const contactsInTexts = useVisitorTexts(settled, !hasContactFields(settled))?.hidden ?? 0;
  const { errors } = useFormState({ control: form.control });
  const invalidFields = [...new Set([...findInvalidFields(values), ...getMarkedFields(errors)])];
  const missing = findMissingParts(values, { photos, contactsInTexts, invalidFields });
  const toCorrect = findFieldsToCorrect(values, invalidFields).map((field) => getFieldLabel(t, field));
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
              {part === 'contact' && <strong>{t('missingPart.contact')}</strong>}
              {part === 'fields' && t('missingPart.fields', { fields: toCorrect.join(', ') })}
              {part !== 'contact' && part !== 'fields' && t(`missingPart.${part}`)}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

const isNetwork = (field: FieldName): field is SocialNetwork => field in SOCIAL_NETWORK_NAMES;

/** Returns the label that the form shows above a field. */
function getFieldLabel(translate: ReturnType<typeof useText>, field: FieldName): string {
  if (isNetwork(field)) return field === 'website' ? translate('website') : SOCIAL_NETWORK_NAMES[field];
  return translate(field === 'body' ? 'physique' : field);
}
