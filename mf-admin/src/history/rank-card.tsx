import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router-dom';
import type { ResponseOf } from '@alpenglow/domain/contracts';
import { Card, classNames, DataTable, layout, QueryView, useApi, useLocale } from '@alpenglow/ui';
import { rankQuery } from './api.ts';
import { formatEventName, formatTime, formatValue } from './labels.ts';
import { useText } from '../text.ts';
import tables from '../panel/table.module.css';
import styles from './history.module.css';

/** Explains the rank of an ad in the list of its city and category. Also shows the ads before and after it. */
export function RankCard({ id, at }: { readonly id: string; readonly at: string | null }) {
  const t = useText();
  const rank = useQuery(rankQuery(useApi(), id, at));
  return (
    <Card>
      <h2>{t('history.rank')}</h2>
      <QueryView query={rank} failedText={t('history.failed')} loadingHeight="10rem">
        {({ data }) => <Rank rank={data} />}
      </QueryView>
    </Card>
  );
}

function Rank({ rank }: { readonly rank: ResponseOf<'explainAdRank'>['data'] }) {
  const t = useText();
  const locale = useLocale();
  if (rank.rank === null || rank.because === null) return <p>{t(`history.rankNone.${rank.status}`)}</p>;
  const list = { city: rank.city ?? '', state: rank.state ?? '', category: formatValue(t, locale, rank.category) };
  return (
    <>
      <p>{t('history.rankIn', { rank: rank.rank, total: rank.total, ...list })}</p>
      <p className={layout['muted']}>
        {t('history.rankBecause', {
          event: formatEventName(t, rank.because.type),
          time: formatTime(locale, rank.because.at),
          revision: rank.because.revision,
        })}
      </p>
      <DataTable
        label={t('history.rank')}
        variant="none"
        className={classNames(tables['table'], styles['changes'])}
        rows={rank.standings}
        getKey={({ adId }) => adId}
        isCurrent={({ adId }) => adId === rank.id}
        headColumn={1}
        columns={[
          { head: t('history.place'), cell: (standing) => standing.rank },
          {
            head: t('field.title'),
            cell: ({ adId, title }) =>
              adId === rank.id ? (
                (title ?? t('history.thisAd'))
              ) : (
                <Link to={`/admin/ads/${adId}?at=${rank.at}`}>{title ?? adId}</Link>
              ),
          },
          { head: t('field.lastBumpedAt'), cell: ({ lastBumpedAt }) => formatTime(locale, lastBumpedAt) },
        ]}
      />
    </>
  );
}
