import { Button } from '@alpenglow/ui';
import { Link } from 'react-router-dom';
import { messages } from '../messages.ts';
import styles from './cookie-banner.module.css';

export function CookieBanner({ onEssential, onAll }: { readonly onEssential: () => void; readonly onAll: () => void }) {
  return (
    <section className={styles['banner']} aria-label={messages.cookiesTitle}>
      <div className={styles['inner']}>
        <p>
          {messages.cookiesText} <Link to="/privacy">{messages.privacy}</Link>
        </p>
        <div className={styles['actions']}>
          <Button size="small" onClick={onEssential}>
            {messages.cookiesEssential}
          </Button>
          <Button size="small" onClick={onAll}>
            {messages.cookiesAll}
          </Button>
        </div>
      </div>
    </section>
  );
}
