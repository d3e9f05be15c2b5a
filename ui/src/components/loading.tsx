import type { ReactNode } from 'react';
import { useUiText } from '../i18n/text.tsx';
import { Skeleton, VisuallyHidden } from './surface.tsx';

export interface LoadingProps {
  readonly height?: string | undefined;
  readonly className?: string | undefined;
  /** Placeholders that have about the size of the content. */
  readonly children?: ReactNode;
}

/** A placeholder for data that is loading. Screen readers announce that the data is loading. */
export function Loading({ height = '1.5rem', className, children = <Skeleton height={height} /> }: LoadingProps) {
  const t = useUiText();
  return (
    <div role="status" className={className}>
      <VisuallyHidden>{t('common.loading')}</VisuallyHidden>
      {children}
    </div>
  );
}
