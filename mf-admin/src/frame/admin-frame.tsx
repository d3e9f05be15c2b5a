import { useEffect, useRef } from 'react';
import { Navigate, NavLink, Outlet, useLocation } from 'react-router-dom';
import { useQuery } from '@tanstack/react-query';
import { Loading, Page, useApi, useUser } from '@alpenglow/ui';
import { useText } from '../text.ts';
import { SECTION_GROUPS } from './sections.ts';
import { StaffNotice } from './staff-only.tsx';
import { TwoStepNotice, twoStepQuery } from './two-step-notice.tsx';
import styles from './admin-frame.module.css';

/** The frame of all pages of the admin panel. Users without access get a notice instead of the page. */
export function AdminFrame() {
  const user = useUser();
  const api = useApi();
  const { pathname } = useLocation();
  const { data, isPending } = useQuery({
    ...twoStepQuery(api, user?.id ?? ''),
    enabled: user?.isModerator === true,
  });
  if (!user?.isModerator) return <StaffNotice role="moderator" />;
  // The pages are rendered only after this query, because the API rejects all their requests if the user has not
  // completed two-step sign-in.
  if (isPending) {
    return (
      <Page>
        <Loading height="20rem" />
      </Page>
    );
  }
  const twoStep = data?.data;
  if (twoStep?.required === true && !twoStep.passed) return <TwoStepNotice isEnabled={twoStep.enabled} />;
  if (!user.isAdmin && pathname === '/admin') return <Navigate to="/admin/moderation" replace />;
  return <Panel isAdmin={user.isAdmin} pathname={pathname} />;
}

/** The layout of all pages. The menu is next to the page, or in a row above the page on a phone. */
function Panel({ isAdmin, pathname }: { readonly isAdmin: boolean; readonly pathname: string }) {
  const t = useText();
  const row = useRef<HTMLElement>(null);
  // On a phone, the menu is a row, which scrolls to the current section.
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
