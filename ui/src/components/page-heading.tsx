import { useEffect, useRef, type ReactNode } from 'react';
import { useHref, useLocation } from 'react-router-dom';
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
  // The path of the page whose heading was focused last. The initial value is the path of the first page of a visit,
  // which needs no focus because there was no navigation. Filters change only the query of the URL, so they do not move
  // the focus.
  const focusedPath = useRef(key === 'default' ? pathname : null);

  useEffect(() => {
    if (focusedPath.current === pathname) return;
    focusedPath.current = pathname;
    ref.current?.focus({ preventScroll: true });
  }, [pathname]);

  useEffect(() => {
    document.title = documentTitle === undefined ? PRODUCT_NAME : `${documentTitle} · ${PRODUCT_NAME}`;
  }, [documentTitle]);

  const href = useHref(pathname);
  useEffect(() => updateServerHead(href), [href]);

  return (
    <h1 ref={ref} tabIndex={-1} className={className}>
      {children}
    </h1>
  );
}

/**
 * Updates the tags in the `<head>` that the server wrote for the first page of a visit. If the visitor opens another
 * page, the function replaces the canonical URL and removes the description.
 */
function updateServerHead(pathname: string): void {
  const description = document.head.querySelector<HTMLMetaElement>('meta[name="description"]');
  if (description && (description.dataset['path'] ??= pathname) === pathname) return;
  description?.remove();
  const canonical = document.head.querySelector<HTMLLinkElement>('link[rel="canonical"]');
  if (canonical) canonical.href = new URL(pathname, canonical.href).href;
}
