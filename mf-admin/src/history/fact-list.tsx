import { useLocale } from '@alpenglow/ui';
import { formatFieldName, formatValue } from './labels.ts';
import { useText } from '../text.ts';
import styles from './history.module.css';

type Value = Parameters<typeof formatValue>[2];

/** A list of fields and their values. Line breaks in texts are preserved. */
export function FactList({ facts }: { readonly facts: readonly (readonly [field: string, value: Value])[] }) {
  const t = useText();
  const locale = useLocale();
  return (
    <dl className={styles['facts']}>
      {facts.map(([field, value]) => (
        <div key={field}>
          <dt>{formatFieldName(t, field)}</dt>
          <dd>{formatValue(t, locale, value)}</dd>
        </div>
      ))}
    </dl>
  );
}
