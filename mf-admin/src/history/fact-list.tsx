import type { ReactNode } from 'react';
import { useLocale } from '@alpenglow/ui';
import { fieldName, valueText } from './labels.ts';
import { useText } from './text.ts';
import styles from './history.module.css';

type Value = Parameters<typeof valueText>[2];

/** What is known of something, field by field. Text keeps its lines. */
export function FactList({
  facts,
}: {
  readonly facts: readonly (readonly [field: string, value: Value, shown?: ReactNode])[];
}) {
  const t = useText();
  const locale = useLocale();
  return (
    <dl className={styles['facts']}>
      {facts.map(([field, value, shown]) => (
        <div key={field}>
          <dt>{fieldName(t, field)}</dt>
          <dd>{shown ?? valueText(t, locale, value)}</dd>
        </div>
      ))}
    </dl>
  );
}
