import { useEffect, useRef, type ReactNode } from 'react';
import { useLocation } from 'react-router-dom';
import { PRODUCT_NAME } from '@alpenglow/domain/contracts';

export interface PageHeadingProps {
  readonly children: ReactNode;
  /** What the browser tab says before the product's name; absent, the name alone. */
  readonly documentTitle?: string | undefined;
  readonly className?: string | undefined;
}

/** The page's one `<h1>`. After a navigation it takes the focus, so that a screen reader starts where the new page does. */
export function PageHeading({ children, documentTitle, className }: PageHeadingProps) {
  const ref = useRef<HTMLHeadingElement>(null);
  const { pathname, key } = useLocation();
  const isFirstPage = key === 'default';

  useEffect(() => {
    if (!isFirstPage) ref.current?.focus({ preventScroll: true });
    // Filters change the key, not the path: they must not pull the focus away from themselves.
  }, [pathname, isFirstPage]);

  useEffect(() => {
    document.title = documentTitle === undefined ? PRODUCT_NAME : `${documentTitle} · ${PRODUCT_NAME}`;
  }, [documentTitle]);

  return (
    <h1 ref={ref} tabIndex={-1} className={className}>
      {children}
    </h1>
  );
}
