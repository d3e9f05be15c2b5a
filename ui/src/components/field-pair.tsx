import type { ReactNode } from 'react';
import styles from './field-pair.module.css';

/** Shows two fields side by side. On narrow screens, the fields are below each other. */
export function FieldPair({ children }: { readonly children: ReactNode }) {
  return <div className={styles['pair']}>{children}</div>;
}
