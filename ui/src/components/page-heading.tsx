import { useEffect, useRef, type ReactNode } from 'react';
import { useLocation } from 'react-router-dom';
import { PRODUCT_NAME } from '@alpenglow/domain/contracts';

export interface PageHeadingProps {
  readonly children: ReactNode;
  /** Title of the browser tab before the product name. If omitted, the title is only the product name. */
  readonly documentTitle?: string | undefined;
  readonly className?: string | undefined;
}

/** The `<h1>` of a page. It receives the focus after a navigation, so that screen readers start at the new page. */
export function PageHeading({ children, documentTitle, className }: PageHeadingProps) {
  const ref = useRef<HTMLHeadingElement>(null);
  const { pathname, key } = useLocation();
  // The path whose heading needs no focus. It is the first page of a visit, because there was no navigation. A filter
  // changes only the query of the URL, so it does not move the focus.
  const focusedPath = useRef(key === 'default' ? pathname : null);

  useEffect(() => {
    if (focusedPath.current === pathname) return;
    focusedPath.current = pathname;
    ref.current?.focus({ preventScroll: true });
  }, [pathname]);

  useEffect(() => {
    document.title = documentTitle === undefined ? PRODUCT_NAME : `${documentTitle} · ${PRODUCT_NAME}`;
  }, [documentTitle]);

  useEffect(() => updateServerHead(pathname), [pathname]);

  return (
    <h1 ref={ref} tabIndex={-1} className={className}>
      {children}
    </h1>
  );
}

/**
 * Updates the tags that the server wrote into the `<head>` for the first page. On any other page, it replaces the
 * canonical URL and removes the description.
 */
function updateServerHead(pathname: string): void {
  const description = document.head.querySelector<HTMLMetaElement>('meta[name="description"]');
  if (description && (description.dataset['path'] ??= pathname) === pathname) return;
  description?.remove();
  const canonical = document.head.querySelector<HTMLLinkElement>('link[rel="canonical"]');
  if (canonical) canonical.href = new URL(pathname, canonical.href).href;
}
