import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router-dom';
import type { SearchResponse } from '@alpenglow/domain/contracts';
import { communityKeys, queryOf, useApi } from '@alpenglow/ui';
import { useText } from '../text.ts';
import styles from './found-elsewhere.module.css';

/**
 * The number of threads to request, and also the number of articles. The limit is small, because only their totals are
 * shown.
 */
const LIMIT = 3;

/** Shows how many threads and articles match the search text. Shows nothing if there are none, or after an error. */
export default function OtherResults({ q }: { readonly q: string }) {
  const t = useText();
  const api = useApi();
  const { data } = useQuery({
    queryKey: [...communityKeys.all, 'found', q],
    queryFn: ({ signal }) => api.request<SearchResponse>({ path: `/search${queryOf({ q, limit: LIMIT })}`, signal }),
    retry: false,
  });
  if (!data) return null;
  const { threads, articles } = data.data;
  const count = ({ data: items, total }: { readonly data: readonly unknown[]; readonly total: number | null }) =>
    total ?? items.length;
  if (count(threads) + count(articles) === 0) return null;
  return (
    <p className={styles['found']}>
      {t('foundElsewhere')}{' '}
      <Link to={`/community?q=${encodeURIComponent(q)}`}>
        {t('foundCounts', { threads: count(threads), articles: count(articles) })}
      </Link>
    </p>
  );
}
