import type { ReactNode } from 'react';
import { PageHeading } from '@alpenglow/ui';
import styles from './page-intro.module.css';

/** The title of a page with a short description. */
export function PageIntro({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <header className={styles['head']}>
      <PageHeading documentTitle={title}>{title}</PageHeading>
      <p>{children}</p>
    </header>
  );
}
