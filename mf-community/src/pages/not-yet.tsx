import type { ReactNode } from 'react';
import { Badge, communityMessages as text, Page, PageHeading } from '@alpenglow/ui';
import styles from './pages.module.css';

export interface NotYetPageProps {
  readonly title: string;
  readonly lead?: string;
  /** What is not here yet. */
  readonly notYet: string;
  readonly children?: ReactNode;
}

/** A page that says honestly what it will be. */
export function NotYetPage({ title, lead, notYet, children }: NotYetPageProps) {
  return (
    <Page>
      <header className={styles['head']}>
        <PageHeading documentTitle={title}>{title}</PageHeading>
        {lead !== undefined && <p>{lead}</p>}
      </header>
      <div className={styles['notYet']}>
        <Badge tone="accent">{text.notYet}</Badge>
        <p>{notYet}</p>
      </div>
      {children}
    </Page>
  );
}
