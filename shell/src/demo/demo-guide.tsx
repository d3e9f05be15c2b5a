import { DEMO_EMAILS, DEMO_PASSWORD } from '@alpenglow/domain/contracts';
import {
  Button,
  classNames,
  CloseIcon,
  IconButton,
  LinkButton,
  logIn,
  messageOf,
  useApi,
  useHost,
  useUser,
} from '@alpenglow/ui';
import { useState } from 'react';
import { Link } from 'react-router-dom';
import { sessionStore } from '../session/session.ts';
import styles from './demo-guide.module.css';
import { useText } from './text.ts';

/** The demo accounts, and the page that opens after the login. */
const ACCOUNTS = [
  { role: 'client', to: '/favorites' },
  { role: 'provider', to: '/provider-profile' },
  { role: 'admin', to: '/admin/moderation' },
] as const;
type Role = (typeof ACCOUNTS)[number]['role'];

/** Explains what a visitor of the demo can try, with one click for each kind of user. */
export default function DemoGuide({ onClose }: { readonly onClose: () => void }) {
  const t = useText();
  // On phones, the complete guide would fill the first screen, so a button expands it. Wide screens show all of it.
  const [isExpanded, setExpanded] = useState(false);
  return (
    <section className={classNames(styles['guide'], isExpanded && styles['expanded'])} aria-labelledby="demo-guide">
      <div className={styles['head']}>
        <div>
          <h2 id="demo-guide">{t('demo.title')}</h2>
          <p>{t('demo.text')}</p>
        </div>
        <IconButton label={t('common.close')} onClick={onClose}>
          <CloseIcon />
        </IconButton>
      </div>
      <Button className={styles['expand']} onClick={() => setExpanded(true)}>
        {t('demo.choose')}
      </Button>
      <div className={styles['content']}>
        <Roles />
      </div>
    </section>
  );
}

function Roles() {
  const t = useText();
  const current = useUser();
  const api = useApi();
  const host = useHost();
  const [busy, setBusy] = useState<Role | null>(null);

  async function openAccount(role: Role, to: string): Promise<void> {
    setBusy(role);
    try {
      const { token, user } = await logIn(api, DEMO_EMAILS[role], DEMO_PASSWORD);
      sessionStore.signIn(token, user);
      host.navigate(to);
    } catch (error) {
      const text = messageOf(error, t('api.loginFailed'));
      // This message names no reason.
      const isBare = text === t('api.loginFailed');
      host.notify({ text: isBare ? `${text}. ${t('demo.loginFailed')}` : text, tone: 'danger' });
      setBusy(null);
    }
  }

  return (
    <>
      <ul role="list" className={styles['roles']}>
        <li className={styles['role']}>
          <h3>{t('demo.visitor')}</h3>
          <p>{t('demo.visitorText')}</p>
          <p className={styles['links']}>
            <Link to="/city/nv/las-vegas">{t('demo.city')}</Link>
            <Link to="/community">{t('demo.community')}</Link>
            <Link to="/blog">{t('demo.blog')}</Link>
          </p>
        </li>
        {ACCOUNTS.map(({ role, to }) => (
          <li key={role} className={styles['role']}>
            <h3>{t(`demo.${role}`)}</h3>
            <p>{t(`demo.${role}Text`)}</p>
            {current?.email === DEMO_EMAILS[role] ? (
              <div className={styles['current']}>
                <strong>{t('demo.loggedIn', { name: current.displayName })}</strong>
                <LinkButton to={to} size="small">
                  {t('demo.open')}
                </LinkButton>
              </div>
            ) : (
              <Button size="small" busy={busy === role} onClick={() => void openAccount(role, to)}>
                {t(`demo.${role}LogIn`)}
              </Button>
            )}
          </li>
        ))}
      </ul>
      <p className={styles['more']}>
        {t('demo.accounts', { accounts: Object.values(DEMO_EMAILS).join(', '), password: DEMO_PASSWORD })}{' '}
        <a href="/dev/inbox">{t('demo.inbox')}</a> <a href="/api/docs">{t('demo.api')}</a>{' '}
        <Link to="/status/front-ends">{t('demo.frontEnds')}</Link>
      </p>
    </>
  );
}
