import { Page, PageHeading } from '@alpenglow/ui';
import { useEffect, type ReactNode } from 'react';
import { useLocation } from 'react-router-dom';
import styles from './text-page.module.css';

interface TextPageProps {
  readonly title: string;
  readonly intro: ReactNode;
  readonly children: ReactNode;
}

/** A page to read. */
export function TextPage({ title, intro, children }: TextPageProps) {
  const { hash } = useLocation();
  // The place an address names is there only now: the page itself was loaded on demand.
  useEffect(() => document.getElementById(hash.slice(1))?.scrollIntoView(), [hash]);
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
