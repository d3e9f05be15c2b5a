import { CloseIcon, LinkButton, Logo, MenuIcon, classNames, type Session } from '@alpenglow/ui';
import { useId, useState } from 'react';
import { Link, NavLink, useLocation } from 'react-router-dom';
import { messages } from '../messages.ts';
import { isProvider } from '../session/roles.ts';
import { logOut } from '../session/session.ts';
import styles from './navigation-bar.module.css';

const PLACES = [
  { to: '/', label: messages.home, end: true },
  { to: '/listings', label: messages.browse },
  { to: '/blog', label: messages.blog },
  { to: '/community', label: messages.community },
  // Shown to everyone; the route and every call behind it are guarded.
  { to: '/admin', label: messages.adminPanel },
];

const link = classNames(styles['link']);

/** Specification, section 2, "Navigation bar". On narrow screens the links stand in a menu. */
export function NavigationBar({ session }: { readonly session: Session }) {
  const { key } = useLocation();
  // Open on the page it was opened on: going to another one closes it.
  const [openOn, setOpenOn] = useState<string | null>(null);
  const isOpen = openOn === key;
  const menuId = useId();

  return (
    <header
      className={styles['bar']}
      onKeyDown={(event) => {
        if (event.key === 'Escape') setOpenOn(null);
      }}
    >
      <div className={styles['inner']}>
        <Link to="/" className={styles['home']}>
          <Logo />
        </Link>
        <button type="button" className={styles['toggle']} aria-expanded={isOpen} aria-controls={menuId} onClick={() => setOpenOn(isOpen ? null : key)}>
          {isOpen ? <CloseIcon size={1.4} /> : <MenuIcon size={1.4} />}
          <span className={styles['toggleLabel']}>{isOpen ? messages.closeMenu : messages.menu}</span>
        </button>
        <nav id={menuId} aria-label={messages.navigation} className={classNames(styles['menu'], isOpen && styles['open'])}>
          <ul role="list" className={styles['places']}>
            {PLACES.map(({ to, label, end = false }) => (
              <li key={to}>
                <NavLink to={to} end={end} className={link}>
                  {label}
                </NavLink>
              </li>
            ))}
          </ul>
          <ul role="list" className={styles['account']}>
            <AccountLinks session={session} />
          </ul>
        </nav>
      </div>
    </header>
  );
}

function AccountLinks({ session }: { readonly session: Session }) {
  const [isLeaving, setLeaving] = useState(false);
  switch (session.state) {
    case 'unknown':
      return null;
    case 'anonymous':
      return (
        <>
          <li>
            <NavLink to="/login" className={link}>
              {messages.login}
            </NavLink>
          </li>
          <li>
            <LinkButton to="/signup" variant="primary" size="small">
              {messages.signUp}
            </LinkButton>
          </li>
        </>
      );
    case 'authenticated':
      return (
        <>
          <li>
            {isProvider(session.user) ? (
              <NavLink to="/provider-profile" className={link}>
                {messages.providerDashboard}
              </NavLink>
            ) : (
              <NavLink to="/profile" className={link}>
                {messages.profile}
              </NavLink>
            )}
          </li>
          <li>
            <button
              type="button"
              className={link}
              disabled={isLeaving}
              onClick={() => {
                setLeaving(true);
                void logOut();
              }}
            >
              {messages.logout}
            </button>
          </li>
        </>
      );
  }
}
