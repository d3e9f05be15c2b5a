import type { MouseEvent } from 'react';
import { useHost } from '../host/host-context.tsx';
import { classNames } from './class-names.ts';
import styles from './rich-html.module.css';

export interface RichHtmlProps {
  /** Safe HTML as the server has made it of Markdown, and nothing else. */
  readonly html: string;
  /** Gets the path of a link to this site that was followed; absent, the page changes without loading anew. */
  readonly onNavigate?: (path: string) => void;
  readonly className?: string | undefined;
}

/** Text with formatting, of posts and articles: the one place where HTML of the server's enters the page. */
export function RichHtml({ html, onNavigate, className }: RichHtmlProps) {
  const { navigate } = useHost();
  const follow = (event: MouseEvent) => {
    const path = pathToFollow(event);
    if (path === null) return;
    event.preventDefault();
    (onNavigate ?? navigate)(path);
  };
  return (
    <div
      className={classNames(styles['text'], className)}
      onClick={follow}
      dangerouslySetInnerHTML={{ __html: html }}
    />
  );
}

/** Where a plain click on a link to this site leads; null for what the browser does better: other sites, new tabs, a press with another button. */
function pathToFollow(event: MouseEvent): string | null {
  if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey)
    return null;
  const link = event.target instanceof Element ? event.target.closest('a') : null;
  if (!link || link.origin !== location.origin || link.pathname.startsWith('/api/')) return null;
  return `${link.pathname}${link.search}${link.hash}`;
}
