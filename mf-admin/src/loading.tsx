import { Skeleton, VisuallyHidden } from '@alpenglow/ui';
import { useText } from './text.ts';

/** What stands in a card until its answer is there. */
export function Loading({ height = '1.5rem' }: { readonly height?: string }) {
  const t = useText();
  return (
    <div role="status">
      <VisuallyHidden>{t('common.loading')}</VisuallyHidden>
      <Skeleton height={height} />
    </div>
  );
}
