import {
  CloseIcon,
  HeartIcon,
  LinkButton,
  Logo,
  MenuIcon,
  classNames,
  useIsHydrated,
  type Session,
} from '@alpenglow/ui';
import { useId, useRef, useState } from 'react';
import { Link, NavLink, useLocation } from 'react-router-dom';
import { QuickExit } from '../exit/quick-exit.tsx';
import { isProvider } from '../session/roles.ts';
import { logOut } from '../session/session.ts';
import { useText } from '../text.ts';
import { LanguageChoice, LiveNoticesChoice, ThemeChoice } from './choices.tsx';
import { Preferences } from './preferences.tsx';
import styles from './navigation-bar.module.css';

const PLACES = [
  { to: '/', text: 'home', end: true },
  { to: '/listings', text: 'browse' },
  { to: '/blog', text: 'blog' },
  { to: '/community', text: 'community' },
] as const;
// All visitors see this link. Permissions are checked by the admin page and its API endpoints, not by the navigation
// bar.
const ADMIN_PANEL = { to: '/admin', text: 'adminPanel' } as const;
const POST_AD = { to: '/post-ad', text: 'common.postAd' } as const;
const FAVORITES = { to: '/favorites', text: 'favorites' } as const;

/**
 * Returns the links of the navigation bar. The link that is most useful for the role of the user is first.
 * Everybody has a link to the favorites. The page explains to providers that they cannot save any.
 */
function placesFor(session: Session) {
  if (session.state !== 'authenticated') return [...PLACES, FAVORITES, ADMIN_PANEL];
  if (session.user.isModerator) return [ADMIN_PANEL, ...PLACES, FAVORITES];
  if (isProvider(session.user)) return [POST_AD, ...PLACES, FAVORITES, ADMIN_PANEL];
  return [FAVORITES, ...PLACES, ADMIN_PANEL];
}

const link = classNames(styles['link']);

/** The navigation bar. On narrow screens, the links are in a menu. */
export function NavigationBar({ session }: { readonly session: Session }) {
  const t = useText();
  const { key } = useLocation();
  // The location key of the page on which the menu was opened. A navigation changes the key, so the menu closes.
  const [openOnKey, setOpenOnKey] = useState<string | null>(null);
  const isOpen = openOnKey === key;
  const toggle = useRef<HTMLButtonElement>(null);
  const menuId = useId();
  const isHydrated = useIsHydrated();

  return (
    <header
      className={styles['bar']}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || !isOpen) return;
        setOpenOnKey(null);
        toggle.current?.focus();
      }}
    >
      <div className={styles['inner']}>
        <Link to="/" className={styles['home']}>
          <Logo />
        </Link>
        <QuickExit className={styles['exit']} />
        <button
          ref={toggle}
          type="button"
          className={styles['toggle']}
          // The visible text never changes. Otherwise a longer one would move the button, and a second press would
          // hit the exit link.
          aria-label={isOpen ? t('closeMenu') : undefined}
          aria-expanded={isOpen}
          aria-controls={menuId}
          onClick={() => setOpenOnKey(isOpen ? null : key)}
        >
          {isOpen ? <CloseIcon size={1.4} /> : <MenuIcon size={1.4} />}
          <span>{t('menu')}</span>
        </button>
        <div id={menuId} className={classNames(styles['menu'], isOpen && styles['open'])}>
          <nav aria-label={t('navigation')} className={styles['links']}>
            <ul role="list" className={styles['places']}>
              {placesFor(session).map(({ to, text, ...rest }, index) => (
                <li key={to}>
                  <NavLink to={to} {...rest} className={link}>
                    {to === FAVORITES.to && index > 0 ? <FavoritesLabel text={t(text)} /> : t(text)}
                  </NavLink>
                </li>
              ))}
            </ul>
            <ul role="list" className={classNames(styles['account'], !isHydrated && styles['beforeSession'])}>
              <AccountLinks session={session} />
            </ul>
          </nav>
          <div className={styles['wide']}>
            <Preferences />
          </div>
          <div className={styles['narrow']}>
            <LanguageChoice labelled />
            <ThemeChoice labelled />
            <LiveNoticesChoice labelled />
          </div>
        </div>
      </div>
    </header>
  );
}

/** The link to the favorites. On screens of medium width, it shows an icon, so that all links fit into one line. */
function FavoritesLabel({ text }: { readonly text: string }) {
  return (
    <span className={styles['short']} title={text}>
      <HeartIcon />
      <span>{text}</span>
    </span>
  );
}

function AccountLinks({ session }: { readonly session: Session }) {
  const t = useText();
  const [isLoggingOut, setLoggingOut] = useState(false);
  switch (session.state) {
    case 'unknown':
      return null;
    case 'anonymous':
      return (
        <>
          <li>
            <NavLink to="/login" className={link}>
              {t('login')}
            </NavLink>
          </li>
          <li>
            <LinkButton to="/signup" variant="primary" size="small">
              {t('signUp')}
            </LinkButton>
          </li>
        </>
      );
    case 'authenticated':
      return (
        <>
          <li>
            <NavLink to={isProvider(session.user) ? '/provider-profile' : '/profile'} className={link}>
              {t(isProvider(session.user) ? 'providerDashboard' : 'profile')}
            </NavLink>
          </li>
          <li>
            <button
              type="button"
              className={link}
              disabled={isLoggingOut}
              onClick={() => {
                setLoggingOut(true);
                void logOut();
              }}
            >
              {t('logout')}
            </button>
          </li>
        </>
      );
  }
}
