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
  // The page a visit begins with has had no navigation. Filters change the address, not the path: the focus stays with them.
  const spokenFor = useRef(key === 'default' ? pathname : null);

  useEffect(() => {
    if (spokenFor.current === pathname) return;
    spokenFor.current = pathname;
    ref.current?.focus({ preventScroll: true });
  }, [pathname]);

  useEffect(() => {
    document.title = documentTitle === undefined ? PRODUCT_NAME : `${documentTitle} · ${PRODUCT_NAME}`;
  }, [documentTitle]);

  useEffect(() => leaveFirstPage(pathname), [pathname]);

  return (
    <h1 ref={ref} tabIndex={-1} className={className}>
      {children}
    </h1>
  );
}

/**
 * What the server wrote into the head is about the address it was asked for. On the next page the canonical address follows, and the
 * description goes: none is better than another page's.
 */
function leaveFirstPage(pathname: string): void {
  const description = document.head.querySelector<HTMLMetaElement>('meta[name="description"]');
  if (description && (description.dataset['path'] ??= pathname) === pathname) return;
  description?.remove();
  const canonical = document.head.querySelector<HTMLLinkElement>('link[rel="canonical"]');
  if (canonical) canonical.href = new URL(pathname, canonical.href).href;
}
