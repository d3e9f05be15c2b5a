import type { SearchAnswer } from '@alpenglow/domain';
import type { Pool } from '@alpenglow/infra';
import { THREAD_COLUMNS, THREAD_MEMBERS, threadCardOf, type ThreadRow } from '../community/thread-card.ts';

/** So many posts with the words of a search are put into order; of more, only newer ones are looked for. */
const COLLECT_posts = 2_000;
/** So many of the newest posts are looked at for words that many posts have. */
const WALK_posts = 20_000;
/** So many of these that have the words are put into order. */
const WALKED_posts = 1_000;

const HAS_WORDS = 'p.words @@ $2::tsquery';
const COUNTED = `select count(*)::int as posts from (select from rm.community_posts p where ${HAS_WORDS} limit ${COLLECT_posts + 1}) counted`;
const COLLECTED = `select p.thread_id, p.number, p.posted_at from rm.community_posts p where ${HAS_WORDS} and p.status = 'visible'`;
const WALKED = `select p.thread_id, p.number, p.posted_at
  from (select thread_id, number, posted_at, words from rm.community_posts where status = 'visible' order by posted_at desc limit ${WALK_posts}) p where ${HAS_WORDS} limit ${WALKED_posts}`;

const BEST = (found: string) => `with found as materialized (${found}),
    best as (select thread_id, bool_or(number = 0) as is_opening, max(posted_at) as at from found group by thread_id)
  select ${THREAD_COLUMNS}, count(*) over ()::int as threads from best join rm.community_threads t using (thread_id) ${THREAD_MEMBERS}
  where t.status = 'visible' order by best.is_opening desc, best.at desc, t.thread_id limit $3`;

/**
 * Threads to be seen with a post to be seen that has all words: those whose opening post has them come first, then those with the newest
 * post that has them. However many posts have the words, the work is bounded; of words that very many have, older posts are not found.
 */
export async function findThreads(
  pool: Pool,
  admin: string | null,
  wordsQuery: string,
  limit: number,
): Promise<SearchAnswer['data']['threads']> {
  const { rows: counts } = await pool.query<{ posts: number }>({
    name: 'search-posts-count',
    text: COUNTED.replace('$2', '$1'),
    values: [wordsQuery],
  });
  const posts = counts[0]?.posts ?? 0;
  if (posts === 0) return { data: [], total: 0 };
  const isFew = posts <= COLLECT_posts;
  const { rows } = await pool.query<ThreadRow & { readonly threads: number }>({
    name: isFew ? 'search-threads-collected' : 'search-threads-walked',
    text: BEST(isFew ? COLLECTED : WALKED),
    values: [admin, wordsQuery, limit],
  });
  return { data: rows.map(threadCardOf), total: isFew ? (rows[0]?.threads ?? 0) : null };
}
