import { CONTACT_EMAIL, Logo } from '@alpenglow/ui';
import { Link } from 'react-router-dom';
import { messages, SOCIAL_URL } from '../messages.ts';
import styles from './footer.module.css';

export function Footer() {
  return (
    <footer className={styles['footer']}>
      <div className={styles['inner']}>
        <div className={styles['who']}>
          <Logo />
          <p>{messages.footerNote}</p>
        </div>
        <nav aria-label={messages.footerLinks}>
          <ul role="list" className={styles['links']}>
            <li>
              <Link to="/about">{messages.about}</Link>
            </li>
            <li>
              <Link to="/about#help">{messages.help}</Link>
            </li>
            <li>
              <Link to="/terms">{messages.terms}</Link>
            </li>
            <li>
              <Link to="/privacy">{messages.privacy}</Link>
            </li>
            <li>
              <a href={`mailto:${CONTACT_EMAIL}`}>{CONTACT_EMAIL}</a>
            </li>
            <li>
              <a href={SOCIAL_URL} rel="noopener noreferrer me" target="_blank">
                {messages.social}
              </a>
            </li>
          </ul>
        </nav>
      </div>
    </footer>
  );
}
