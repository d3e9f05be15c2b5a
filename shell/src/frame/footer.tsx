import { CONTACT_EMAIL, layout, Logo } from '@alpenglow/ui';
import { Link } from 'react-router-dom';
import { useText } from '../text.ts';
import { LanguageChoice, ThemeChoice } from './choices.tsx';
import styles from './footer.module.css';

const PAGES = ['about', 'help', 'removal', 'pricing', 'terms', 'privacy'] as const;
const SOCIAL_URL = 'https://mastodon.social/@alpenglow';

export function Footer() {
  const t = useText();
  return (
    <footer className={styles['footer']}>
      <div className={styles['inner']}>
        <div className={layout['stack2']}>
          <Logo />
          <p>{t('footerNote')}</p>
        </div>
        <nav aria-label={t('footerLinks')}>
          <ul role="list" className={styles['links']}>
            {PAGES.map((page) => (
              <li key={page}>
                <Link to={`/${page}`}>{t(page)}</Link>
              </li>
            ))}
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
