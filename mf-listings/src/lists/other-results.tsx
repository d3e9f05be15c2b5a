import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router-dom';
import { communityKeys, queryOf, useApi } from '@alpenglow/ui';
import { useText } from './text.ts';
import styles from './found-elsewhere.module.css';

/**
 * The number of threads to request, and also the number of articles. The limit is small, because only their totals are
 * shown.
 */
const LIMIT = 3;

/** Links to the threads and articles that match the search text, if there are any. Shows nothing after an error. */
export default function OtherResults({ q }: { readonly q: string }) {
  const t = useText();
  const api = useApi();
  const { data } = useQuery({
    queryKey: [...communityKeys.all, 'found', q],
    queryFn: ({ signal }) => api.request<'search'>({ path: `/search${queryOf({ q, limit: LIMIT })}`, signal }),
    retry: false,
  });
  if (!data) return null;
  const count = ({ data: items, total }: { readonly data: readonly unknown[]; readonly total: number | null }) =>
    total ?? items.length;
  const threads = count(data.data.threads);
  const articles = count(data.data.articles);
  const counts = [
    ...(threads > 0 ? [t('foundThreads', { threads })] : []),
    ...(articles > 0 ? [t('foundArticles', { articles })] : []),
  ];
  if (counts.length === 0) return null;
  return (
    <p className={styles['found']}>
      {t('foundElsewhere')} <Link to={`/community?q=${encodeURIComponent(q)}`}>{counts.join(', ')}</Link>
    </p>
  );
}
