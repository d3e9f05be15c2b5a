import { Loading, Page, Skeleton } from '@alpenglow/ui';

export function PageSkeleton() {
  return (
    <Page>
      <Loading>
        <Skeleton width="14rem" height="2rem" />
      </Loading>
    </Page>
  );
}
