import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router-dom';
import type { AdRankAnswer } from '@alpenglow/domain/contracts';
import { Card, ErrorBox, messageOf, useApi, useLocale } from '@alpenglow/ui';
import { Loading } from '../loading.tsx';
import { DataTable } from '../panel/data-table.tsx';
import { rankQuery } from './calls.ts';
import { eventName, timeText, valueText } from './labels.ts';
import { useText } from './text.ts';
import styles from './history.module.css';

/** Why an ad stood where it did in the list of its city and category, with its neighbours in the list. */
export function RankCard({ id, at }: { readonly id: string; readonly at: string | null }) {
  const t = useText();
  const api = useApi();
  const rank = useQuery(rankQuery(api, id, at));
  return (
    <Card>
      <h2>{t('history.rank')}</h2>
      {rank.isPending && <Loading height="10rem" />}
      {rank.isError && (
        <ErrorBox message={messageOf(rank.error, t('history.failed'))} onRetry={() => void rank.refetch()} />
      )}
      {rank.data && <Rank rank={rank.data.data} />}
    </Card>
  );
}

function Rank({ rank }: { readonly rank: AdRankAnswer['data'] }) {
  const t = useText();
  const locale = useLocale();
  if (rank.rank === null || rank.because === null) return <p>{t(`history.rankNone.${rank.status}`)}</p>;
  const list = { city: rank.city ?? '', state: rank.state ?? '', category: valueText(t, locale, rank.category) };
  return (
    <>
      <p>{t('history.rankIn', { rank: rank.rank, total: rank.total, ...list })}</p>
      <p className={styles['muted']}>
        {t('history.rankBecause', {
          event: eventName(t, rank.because.type),
          time: timeText(locale, rank.because.at),
          revision: rank.because.revision,
        })}
      </p>
      <DataTable
        label={t('history.rank')}
        columns={[t('history.place'), t('field.title'), t('field.lastBumpedAt')]}
        className={styles['changes']}
      >
        {rank.standings.map(({ rank: place, adId, title, lastBumpedAt }) => (
          <tr key={adId} aria-current={adId === rank.id ? 'true' : undefined}>
            <td>{place}</td>
            <th scope="row">
              {adId === rank.id ? (
                (title ?? t('history.thisAd'))
              ) : (
                <Link to={`/admin/ads/${adId}?at=${rank.at}`}>{title ?? adId}</Link>
              )}
            </th>
            <td>{timeText(locale, lastBumpedAt)}</td>
          </tr>
        ))}
      </DataTable>
    </>
  );
}
