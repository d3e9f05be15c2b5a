import type { ReactNode } from 'react';
import { Page, PageHeading, Skeleton, VisuallyHidden } from '@alpenglow/ui';
import { useText } from '../text.ts';
import styles from './form-page.module.css';

export function FormPage({
  title,
  lead,
  children,
}: {
  readonly title: string;
  readonly lead?: string;
  readonly children: ReactNode;
}) {
  return (
    <Page narrow>
      <div className={styles['head']}>
        <PageHeading documentTitle={title}>{title}</PageHeading>
        {lead !== undefined && <p>{lead}</p>}
      </div>
      {children}
    </Page>
  );
}

export function FormSkeleton() {
  const t = useText();
  return (
    <div role="status" className={styles['skeleton']}>
      <VisuallyHidden>{t('common.loading')}</VisuallyHidden>
      {[1, 2, 3].map((field) => (
        <Skeleton key={field} height="4.5rem" />
      ))}
    </div>
  );
}
