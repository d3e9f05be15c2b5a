import { ToastRegion, type Session, type Toast } from '@alpenglow/ui';
import { useEffect, useRef, type ReactNode } from 'react';
import { useLocation, useNavigationType } from 'react-router-dom';
import { CookieBanner } from '../gates/cookie-banner.tsx';
import type { useConsent } from '../gates/use-consent.ts';
import { messages } from '../messages.ts';
import { ConnectionNotice } from './connection-notice.tsx';
import { Footer } from './footer.tsx';
import { NavigationBar } from './navigation-bar.tsx';
import styles from './frame.module.css';

interface FrameProps {
  readonly session: Session;
  readonly consent: ReturnType<typeof useConsent>;
  readonly toasts: readonly Toast[];
  readonly onDismissToast: (id: number) => void;
  readonly children: ReactNode;
}

/** What stands around every page. */
export function Frame({ session, consent, toasts, onDismissToast, children }: FrameProps) {
  useScrollToTop();
  return (
    <div className={styles['frame']}>
      <a href="#content" className={styles['skip']}>
        {messages.skipToContent}
      </a>
      <NavigationBar session={session} />
      <ConnectionNotice />
      <main id="content" tabIndex={-1} className={styles['content']}>
        {children}
      </main>
      <Footer />
      {!consent.cookies && <CookieBanner onEssential={consent.acceptEssentialCookies} onAll={consent.acceptAllCookies} />}
      <ToastRegion toasts={toasts} onDismiss={onDismissToast} />
    </div>
  );
}

/** A new page starts at its top; one whose address names a place in it scrolls there itself. Going back, the browser knows where it was. */
function useScrollToTop(): void {
  const { pathname, hash } = useLocation();
  const type: string = useNavigationType();
  const isBackOrForward = type === 'POP';
  const last = useRef(pathname);
  useEffect(() => {
    const isNewPage = last.current !== pathname;
    last.current = pathname;
    if (isNewPage && hash === '' && !isBackOrForward) scrollTo({ top: 0, behavior: 'instant' });
  }, [pathname, hash, isBackOrForward]);
}
