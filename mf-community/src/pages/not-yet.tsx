import type { ReactNode } from 'react';
import { Badge, Breadcrumbs, Page, PageHeading, type Breadcrumb } from '@alpenglow/ui';
import { useText } from '../text.ts';
import styles from './pages.module.css';

export interface NotYetPageProps {
  readonly title: string;
  /** The pages between home and this one. */
  readonly way?: readonly Breadcrumb[];
  /** What this page is called among them, where the title is longer. */
  readonly shortTitle?: string;
  readonly lead?: string;
  /** What is not here yet. */
  readonly notYet: string;
  /** Where to go meanwhile. */
  readonly actions?: ReactNode;
  readonly children?: ReactNode;
}

/** A page that says honestly what it will be. */
export function NotYetPage({ title, way = [], shortTitle = title, lead, notYet, actions, children }: NotYetPageProps) {
  const t = useText();
  return (
    <Page>
      <Breadcrumbs items={[{ label: t('common.home'), to: '/' }, ...way, { label: shortTitle }]} />
      <header className={styles['head']}>
        <PageHeading documentTitle={title}>{title}</PageHeading>
        {lead !== undefined && <p>{lead}</p>}
      </header>
      <div className={styles['notYet']}>
        <Badge tone="accent">{t('notYet')}</Badge>
        <p>{notYet}</p>
        {actions !== undefined && <div className={styles['actions']}>{actions}</div>}
      </div>
      {children}
    </Page>
  );
}
