import { Button, classNames } from '@alpenglow/ui';
import { useEffect, useRef } from 'react';
import { Link } from 'react-router-dom';
import { useText } from '../text.ts';
import styles from './cookie-banner.module.css';

interface CookieBannerProps {
  /** False until the choice is known. Then `data-cookies` of the document decides whether the banner is visible. */
  readonly isNeeded: boolean;
  readonly onEssential: () => void;
  readonly onAll: () => void;
}

/** The choice of cookies. Server-rendered HTML always contains it, so the first paint shows it. */
export function CookieBanner({ isNeeded, onEssential, onAll }: CookieBannerProps) {
  const t = useText();
  const banner = useRef<HTMLElement>(null);
  useEffect(() => {
    if (banner.current) return reserveBottom(banner.current);
  }, []);
  return (
    <section
      ref={banner}
      className={classNames(styles['banner'], !isNeeded && styles['unknown'])}
      aria-label={t('cookiesTitle')}
    >
      <div className={styles['inner']}>
        <p>
          {t('cookiesText')} <Link to="/privacy">{t('privacy')}</Link>
        </p>
        <div className={styles['actions']}>
          <Button size="small" onClick={onEssential}>
            {t('cookiesEssential')}
          </Button>
          <Button size="small" onClick={onAll}>
            {t('cookiesAll')}
          </Button>
        </div>
      </div>
    </section>
  );
}

/**
 * Moves toasts above the cookie banner, also after the banner's height changes. Returns a function that moves the
 * toasts back.
 */
function reserveBottom(bar: HTMLElement): () => void {
  const { style } = document.documentElement;
  const resizeObserver = new ResizeObserver(() => style.setProperty('--bottom-bar-height', `${bar.offsetHeight}px`));
  resizeObserver.observe(bar);
  return () => {
    resizeObserver.disconnect();
    style.removeProperty('--bottom-bar-height');
  };
}
