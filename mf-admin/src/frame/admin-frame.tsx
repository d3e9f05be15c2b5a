import { useEffect, useRef } from 'react';
import { Navigate, NavLink, Outlet, useLocation } from 'react-router-dom';
import { useQuery } from '@tanstack/react-query';
import { Page, useApi, useUser } from '@alpenglow/ui';
import { Loading } from '../loading.tsx';
import { useText } from '../text.ts';
import { SECTION_GROUPS } from './sections.ts';
import { StaffNotice } from './staff-only.tsx';
import { TwoStepNotice, twoStepQuery } from './two-step-notice.tsx';
import styles from './admin-frame.module.css';

/** Who may enter the panel, and what others see in its place. */
export function AdminFrame() {
  const user = useUser();
  const api = useApi();
  const { pathname } = useLocation();
  const { data: twoStep, isPending } = useQuery({
    ...twoStepQuery(api, user?.id ?? ''),
    enabled: user?.isModerator === true,
  });
  if (!user?.isModerator) return <StaffNotice role="moderator" />;
  // Until this is known, pages would ask for what may be withheld.
  if (isPending) {
    return (
      <Page>
        <Loading height="20rem" />
      </Page>
    );
  }
  if (twoStep?.required === true && !twoStep.passed) return <TwoStepNotice isEnabled={twoStep.enabled} />;
  if (!user.isAdmin && pathname === '/admin') return <Navigate to="/admin/moderation" replace />;
  return <Panel isAdmin={user.isAdmin} pathname={pathname} />;
}

/** What all pages of the panel stand in: its menu, at the side or, on a phone, in a row above. */
function Panel({ isAdmin, pathname }: { readonly isAdmin: boolean; readonly pathname: string }) {
  const t = useText();
  const row = useRef<HTMLElement>(null);
  // On a phone the row scrolls: the section one is in is to be seen.
  useEffect(() => {
    const current = row.current?.querySelector('[aria-current="page"]');
    if (current && row.current)
      row.current.scrollLeft = (current as HTMLElement).offsetLeft - row.current.clientWidth / 3;
  }, [pathname]);
  const groups = SECTION_GROUPS.map(({ name, sections }) => ({
    name,
    sections: sections.filter(({ isForModerators }) => isAdmin || isForModerators),
  })).filter(({ sections }) => sections.length > 0);
  return (
    <div className={styles['frame']}>
      <nav ref={row} aria-label={t('title')} className={styles['menu']}>
        {groups.map(({ name, sections }) => (
          <div key={name}>
            <p id={`admin-${name}`}>{t(`nav.group.${name}`)}</p>
            <ul role="list" aria-labelledby={`admin-${name}`}>
              {sections.map((section) => (
                <li key={section.path}>
                  <NavLink to={section.path} end={section.path === '/admin'}>
                    {t(`nav.${section.name}`)}
                  </NavLink>
                </li>
              ))}
            </ul>
          </div>
        ))}
      </nav>
      <div className={styles['content']}>
        <Outlet />
      </div>
    </div>
  );
}
