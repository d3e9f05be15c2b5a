import { Link } from 'react-router-dom';
import type { OverviewView } from '@alpenglow/domain/contracts';
import { useLocale } from '@alpenglow/ui';
import { useText } from '../text.ts';
import styles from './figures.module.css';

interface OverviewProps {
  readonly state: OverviewView;
}

/** Shows what waits for a member of staff, or that nothing does. Each number links to the page with the work. */
export function Waiting({ state: { reports, openIdentityChecks, waitingRemovals, queues } }: OverviewProps) {
  const t = useText();
  const locale = useLocale();
  const deadJobs = (queues ?? []).reduce((sum, { dead }) => sum + dead, 0);
  const work = [
    { name: t('nav.removals'), count: waitingRemovals, to: '/admin/removals' },
    {
      name: t('overview.openCases'),
      count: reports.openCases,
      more: t('overview.reportsToday', { count: reports.today }),
      to: '/admin/moderation',
    },
    { name: t('overview.openAppeals'), count: reports.openAppeals, to: '/admin/moderation?state=appeals' },
    { name: t('overview.needsIdentity'), count: openIdentityChecks, to: '/admin/identity' },
    { name: t('overview.needsJobs'), count: deadJobs, to: '/admin/jobs' },
  ].filter(({ count }) => count > 0);
  return (
    <section className={styles['waiting']} aria-labelledby="waiting">
      <h2 id="waiting">{t('overview.needs')}</h2>
      {work.length === 0 ? (
        <p>{t('overview.needsNothing')}</p>
      ) : (
        <ul role="list" className={styles['figures']}>
          {work.map(({ count, ...figure }) => (
            <Figure key={figure.name} {...figure} value={count.toLocaleString(locale)} />
          ))}
        </ul>
      )}
    </section>
  );
}

/** Shows the most important numbers of the site. Most numbers link to a page with details. */
export function Figures({ state: { users, ads, liveClients, projections } }: OverviewProps) {
  const t = useText();
  const locale = useLocale();
  const number = (count: number) => count.toLocaleString(locale);
  const maxLag = Math.max(0, ...projections.map(({ lag }) => lag));
  return (
    <ul role="list" className={styles['figures']}>
      <Figure
        name={t('nav.users')}
        value={number(users.total)}
        more={t('overview.newToday', { count: users.newToday })}
        to="/admin/users"
      />
      <Figure
        name={t('overview.providers')}
        value={number(users.providers)}
        more={t('overview.clients', { count: users.clients })}
        to="/admin/users?type=provider"
      />
      <Figure
        name={t('overview.ads')}
        value={number(ads.live)}
        more={t('overview.newToday', { count: ads.newToday })}
        to="/admin/ads"
      />
      <Figure name={t('overview.hiddenAds')} value={number(ads.hidden)} to="/admin/ads?hidden=true" />
      <Figure name={t('overview.liveClients')} value={number(liveClients)} />
      <Figure name={t('overview.lag')} value={number(maxLag)} more={t('overview.lagText')} to="/admin/projections" />
    </ul>
  );
}

function Figure({
  name,
  value,
  more,
  to,
}: {
  readonly name: string;
  readonly value: string;
  readonly more?: string;
  readonly to?: string;
}) {
  return (
    <li className={styles['figure']}>
      <p>{to === undefined ? name : <Link to={to}>{name}</Link>}</p>
      <strong>{value}</strong>
      <p>{more}</p>
    </li>
  );
}
