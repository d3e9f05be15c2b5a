import { Page, Skeleton, VisuallyHidden } from '@alpenglow/ui';
import { useText } from '../text.ts';

export function PageSkeleton() {
  const t = useText();
  return (
    <Page>
      <div role="status">
        <VisuallyHidden>{t('common.loading')}</VisuallyHidden>
        <Skeleton width="14rem" height="2rem" />
      </div>
    </Page>
  );
}
