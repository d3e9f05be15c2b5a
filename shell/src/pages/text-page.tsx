import { Page, PageHeading } from '@alpenglow/ui';
import type { ReactNode } from 'react';
import styles from './text-page.module.css';

interface TextPageProps {
  readonly title: string;
  readonly intro: ReactNode;
  readonly children: ReactNode;
}

/** A page to read. */
export function TextPage({ title, intro, children }: TextPageProps) {
  return (
    <Page narrow>
      <article className={styles['text']}>
        <PageHeading documentTitle={title}>{title}</PageHeading>
        <p className={styles['intro']}>{intro}</p>
        {children}
      </article>
    </Page>
  );
}
