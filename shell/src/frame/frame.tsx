import type { Session } from '@alpenglow/ui';
import { useRef, type ReactNode } from 'react';
import { CookieBanner } from '../gates/cookie-banner.tsx';
import { Gates } from '../gates/gates.tsx';
import { useConsent } from '../gates/use-consent.ts';
import { useServiceWorker } from '../offline/use-service-worker.ts';
import { useText } from '../text.ts';
import { Footer } from './footer.tsx';
import { NavigationBar } from './navigation-bar.tsx';
import { Toasts } from './notices.tsx';
import { useScrollRestoration } from './scroll/use-scroll-restoration.ts';
import styles from './frame.module.css';

interface FrameProps {
  readonly session: Session;
  readonly children: ReactNode;
}

/**
 * The frame of every page, with navigation bar, notices, footer and cookie banner. Until the visitor has confirmed the
 * age and accepted the guidelines, these questions cover the page, and the page cannot be used.
 */
export function Frame({ session, children }: FrameProps) {
  const t = useText();
  const content = useRef<HTMLElement>(null);
  const consents = useConsent();
  useScrollRestoration();
  useServiceWorker(consents.consent?.ageConfirmed === true);
  return (
    <>
      <Gates {...consents} />
      <div className={styles['frame']} data-frame="" inert={consents.question !== null}>
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
        {!consents.consent?.cookies && (
          <CookieBanner
            isNeeded={consents.consent !== null}
            onEssential={consents.acceptEssentialCookies}
            onAll={consents.acceptAllCookies}
          />
        )}
        <Toasts />
      </div>
    </>
  );
}
