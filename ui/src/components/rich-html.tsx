import { useMemo, type MouseEvent } from 'react';
import { useHost } from '../host/host-context.tsx';
import { useIsPrivateMedia, usePrivateHtml } from '../media/private-media.tsx';
import { parseLocalePath } from '../i18n/locale-path.ts';
import { createTrustedText } from '../trusted-types.ts';
import { isPlainClick } from './page-links.tsx';
import { classNames } from './class-names.ts';
import styles from './rich-html.module.css';

export interface RichHtmlProps {
  /** Safe HTML that the server has created from Markdown. Any other HTML is a security risk. */
  readonly html: string;
  /** The language of the text (BCP 47), if it is known. */
  readonly lang?: string | undefined;
  readonly className?: string | undefined;
}

/** The server has created the HTML from Markdown and allows only safe elements, so it is not checked again. */
const toTrustedHtml = createTrustedText('alpenglow-html', 'createHTML', (html) => html);

/** Formatted text of posts and articles. No other component adds HTML from the server to the page. */
export function RichHtml(props: RichHtmlProps) {
  return useIsPrivateMedia() ? <PrivateRichHtml {...props} /> : <PublicRichHtml {...props} />;
}

function PrivateRichHtml({ html, ...rest }: RichHtmlProps) {
  return <PublicRichHtml {...rest} html={usePrivateHtml(html)} />;
}

function PublicRichHtml({ html, lang, className }: RichHtmlProps) {
  const { navigate } = useHost();
  // The same object for the same text, because React writes a new object to the page on every render.
  const content = useMemo(() => ({ __html: toTrustedHtml(html) }), [html]);
  const follow = (event: MouseEvent) => {
    const path = pathToFollow(event);
    if (path === null) return;
    event.preventDefault();
    navigate(path);
  };
  return (
    <div
      lang={lang}
      className={classNames(styles['text'], className)}
      onClick={follow}
      dangerouslySetInnerHTML={content}
    />
  );
}

/**
 * Returns the path if a plain click follows a link within this site. Returns null if the browser must handle the click,
 * for example for links to other sites and for new tabs.
 */
function pathToFollow(event: MouseEvent): string | null {
  if (event.defaultPrevented || !isPlainClick(event)) return null;
  const link = event.target instanceof Element ? event.target.closest('a') : null;
  if (!link || link.origin !== location.origin || link.pathname.startsWith('/api/')) return null;
  return `${parseLocalePath(link.pathname).path}${link.search}${link.hash}`;
}
