import type { ReactNode } from 'react';
import { layout, Loading, Page, PageHeading, Skeleton } from '@alpenglow/ui';
import styles from './form-page.module.css';

export function FormPage(props: { readonly title: string; readonly lead?: string; readonly children: ReactNode }) {
  const { title, lead, children } = props;
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
  return (
    <Loading className={layout['stack5']}>
      {[1, 2, 3].map((field) => (
        <Skeleton key={field} height="4.5rem" />
      ))}
    </Loading>
  );
}
