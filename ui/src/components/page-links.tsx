import { useLocation, useSearchParams } from 'react-router-dom';
import type { MouseEvent, ReactNode } from 'react';
import { useUiText } from '../i18n/text.tsx';
import { LinkButton, type LinkButtonProps } from './button.tsx';

const CURSOR = 'cursor';

/** Returns the cursor in the URL. A list then begins with the page of this cursor. Null for the first page. */
export function useStartCursor(): string | null {
  return useSearchParams()[0].get(CURSOR) || null;
}

export interface MoreLinkProps extends Pick<LinkButtonProps, 'size'> {
  /** The URL of the page that the link opens without scripts, or in a new tab. */
  readonly to: string;
  readonly rel: 'next' | 'prev';
  /** True while the page is loading. A click then has no effect. */
  readonly busy: boolean;
  /** Loads the page in place. */
  readonly onMore: () => void;
  readonly children: ReactNode;
}

/** A link that loads a further page of a list in place. Without scripts, it opens the page. */
export function MoreLink({ busy, onMore, ...rest }: MoreLinkProps) {
  return (
    <LinkButton
      {...rest}
      aria-busy={busy || undefined}
      aria-disabled={busy || undefined}
      onClick={(event) => {
        if (!isPlainClick(event)) return;
        event.preventDefault();
        if (!busy) onMore();
      }}
    />
  );
}

/** Returns true if the click opens the link in the current tab. */
export function isPlainClick({
  button,
  metaKey,
  ctrlKey,
  shiftKey,
  altKey,
}: Pick<MouseEvent, 'button' | 'metaKey' | 'ctrlKey' | 'shiftKey' | 'altKey'>): boolean {
  return button === 0 && !metaKey && !ctrlKey && !shiftKey && !altKey;
}

/** Returns the URL of the page of a list with this cursor. The rest of the URL is the current one. */
export function useNextPageUrl(): (cursor: string) => string {
  const { pathname, search } = useLocation();
  return (cursor) => pathname + withCursor(search, cursor);
}

/** A link to the first page of a list. It is shown if the list begins with a later page. */
export function FirstPageLink() {
  const t = useUiText();
  const { pathname, search } = useLocation();
  if (useStartCursor() === null) return null;
  return (
    <p>
      <LinkButton to={pathname + withCursor(search, null)} rel="first" size="small" variant="quiet">
        {t('list.first')}
      </LinkButton>
    </p>
  );
}

function withCursor(search: string, cursor: string | null): string {
  const parameters = new URLSearchParams(search);
  if (cursor === null) parameters.delete(CURSOR);
  else parameters.set(CURSOR, cursor);
  return parameters.size === 0 ? '' : `?${parameters}`;
}
