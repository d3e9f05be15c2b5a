import { commonMessages, Page, Skeleton, VisuallyHidden } from '@alpenglow/ui';

export function PageSkeleton() {
  return (
    <Page>
      <div role="status">
        <VisuallyHidden>{commonMessages.loading}</VisuallyHidden>
        <Skeleton width="14rem" height="2rem" />
      </div>
    </Page>
  );
}
