import { ToastRegion, type Session, type Toast } from '@alpenglow/ui';
import { useRef, type ReactNode } from 'react';
import { CookieBanner } from '../gates/cookie-banner.tsx';
import type { useConsent } from '../gates/use-consent.ts';
import { useText } from '../text.ts';
import { ConnectionNotice } from './connection-notice.tsx';
import { Footer } from './footer.tsx';
import { NavigationBar } from './navigation-bar.tsx';
import { useScrollRestoration } from './scroll/use-scroll-restoration.ts';
import styles from './frame.module.css';

interface FrameProps {
  readonly session: Session;
  readonly consent: ReturnType<typeof useConsent>;
  readonly toasts: readonly Toast[];
  readonly onDismissToast: (id: number) => void;
  readonly children: ReactNode;
}

/** The frame of every page, with navigation bar, notices, footer and cookie banner. */
export function Frame({ session, consent, toasts, onDismissToast, children }: FrameProps) {
  const t = useText();
  const content = useRef<HTMLElement>(null);
  useScrollRestoration();
  return (
    <div className={styles['frame']}>
      <a
        href="#content"
        className={styles['skip']}
        onClick={(event) => {
          // Following the link would add an entry to the browser history, so its default action is prevented.
          event.preventDefault();
          content.current?.focus();
        }}
      >
        {t('skipToContent')}
      </a>
      <NavigationBar session={session} />
      <main ref={content} id="content" tabIndex={-1} className={styles['content']}>
        {children}
      </main>
      <Footer />
      {!consent.cookies && (
        <CookieBanner onEssential={consent.acceptEssentialCookies} onAll={consent.acceptAllCookies} />
      )}
      <ToastRegion toasts={toasts} onDismiss={onDismissToast}>
        <ConnectionNotice />
      </ToastRegion>
    </div>
  );
}
