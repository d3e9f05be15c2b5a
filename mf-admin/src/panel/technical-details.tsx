import type { ReactNode } from 'react';
import { useText } from '../text.ts';
import styles from './technical-details.module.css';

/** The ids, types and positions that only technicians need, in a part that is closed at first. */
export function TechnicalDetails({ children }: { readonly children: ReactNode }) {
  const t = useText();
  return (
    <details className={styles['technical']}>
      <summary>{t('history.technical')}</summary>
      {children}
    </details>
  );
}
