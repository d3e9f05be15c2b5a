import { Button } from '@alpenglow/ui';
import { Link } from 'react-router-dom';
import { useText } from '../text.ts';
import styles from './cookie-banner.module.css';

export function CookieBanner({ onEssential, onAll }: { readonly onEssential: () => void; readonly onAll: () => void }) {
  const t = useText();
  return (
    <section className={styles['banner']} aria-label={t('cookiesTitle')}>
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
