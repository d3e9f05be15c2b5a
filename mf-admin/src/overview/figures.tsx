import { Link } from 'react-router-dom';
import type { OverviewView } from '@alpenglow/domain/contracts';
import { useLocale } from '@alpenglow/ui';
import { useText } from '../text.ts';
import styles from './figures.module.css';

/** Shows the most important numbers of the site. Most numbers link to a page with details. */
export function Figures({
  state: { users, ads, reports, liveClients, projections },
}: {
  readonly state: OverviewView;
}) {
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
      <Figure
        name={t('overview.openCases')}
        value={number(reports.openCases)}
        more={t('overview.reportsToday', { count: reports.today })}
        to="/admin/moderation"
      />
      <Figure
        name={t('overview.openAppeals')}
        value={number(reports.openAppeals)}
        to="/admin/moderation?state=appeals"
      />
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
