import { CONTACT_EMAIL, Logo } from '@alpenglow/ui';
import { Link } from 'react-router-dom';
import { useText } from '../text.ts';
import { LanguageChoice, ThemeChoice } from './choices.tsx';
import styles from './footer.module.css';

const SOCIAL_URL = 'https://mastodon.social/@alpenglow';

export function Footer() {
  const t = useText();
  return (
    <footer className={styles['footer']}>
      <div className={styles['inner']}>
        <div className={styles['who']}>
          <Logo />
          <p>{t('footerNote')}</p>
        </div>
        <nav aria-label={t('footerLinks')}>
          <ul role="list" className={styles['links']}>
            <li>
              <Link to="/about">{t('about')}</Link>
            </li>
            <li>
              <Link to="/help">{t('help')}</Link>
            </li>
            <li>
              <Link to="/terms">{t('terms')}</Link>
            </li>
            <li>
              <Link to="/privacy">{t('privacy')}</Link>
            </li>
            <li>
              <a href={`mailto:${CONTACT_EMAIL}`}>{CONTACT_EMAIL}</a>
            </li>
            <li>
              <a href={SOCIAL_URL} rel="noopener noreferrer me" target="_blank">
                {t('social')}
              </a>
            </li>
          </ul>
        </nav>
        <div className={styles['choices']}>
          <LanguageChoice />
          <ThemeChoice />
        </div>
      </div>
    </footer>
  );
}
