import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router-dom';
import type { SearchAnswer } from '@alpenglow/domain/contracts';
import { communityKeys, useApi } from '@alpenglow/ui';
import { useText } from '../text.ts';
import styles from './found-elsewhere.module.css';

/** How many of a kind are asked for: their number is all that is shown. */
const LIMIT = 3;

/** Says that what is searched for is in threads and articles as well. Where nothing is, or nothing answers, there is nothing. */
export default function FoundElsewhere({ q }: { readonly q: string }) {
  const t = useText();
  const api = useApi();
  const search = new URLSearchParams({ q, limit: String(LIMIT) }).toString();
  const { data } = useQuery({
    queryKey: [...communityKeys.all, 'found', q],
    queryFn: ({ signal }) => api.call<SearchAnswer>({ path: `/search?${search}`, signal }),
    retry: false,
  });
  if (!data) return null;
  const { threads, articles } = data.data;
  const count = ({ data: found, total }: { readonly data: readonly unknown[]; readonly total: number | null }) =>
    total ?? found.length;
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
