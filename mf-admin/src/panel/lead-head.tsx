import type { ReactNode } from 'react';
import { PageHeading } from '@alpenglow/ui';
import styles from './lead-head.module.css';

/** The title of a page, and a sentence below it on what the page is. */
export function LeadHead({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <header className={styles['head']}>
      <PageHeading documentTitle={title}>{title}</PageHeading>
      <p>{children}</p>
    </header>
  );
}
