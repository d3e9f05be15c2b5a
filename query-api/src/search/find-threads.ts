import type { ResponseOf } from '@alpenglow/domain';
import { COMMUNITY_POSTS, COMMUNITY_THREADS, type ReadPool } from '@alpenglow/infra';
import { THREAD_COLUMNS, THREAD_JOINS, createThreadCard, type ThreadRow } from '../community/thread-card.ts';
import { createTitleTsquery } from './word-tsquery.ts';

/**
 * Up to this number of matching posts, all matching posts are sorted. If more posts match, only the newest posts are
 * searched.
 */
const COLLECT_posts = 2_000;
/** The number of the newest posts that are searched if too many posts match. */
const SEARCHED_posts = 20_000;
/** The maximum number of matching posts that are sorted if only the newest posts are searched. */
const SORTED_posts = 1_000;

const MATCHES = 'p.words @@ $2::tsquery';
const COUNT_MATCHES = `select count(*)::int as posts
  from (select from ${COMMUNITY_POSTS.table} p where ${MATCHES} limit ${COLLECT_posts + 1}) counted`;
const IN_TITLE = 'p.words @@ $4::tsquery as in_title';
const ALL_MATCHES = `select p.thread_id, p.number, p.posted_at, ${IN_TITLE}
  from ${COMMUNITY_POSTS.table} p
  where ${MATCHES} and p.status = 'visible'`;
const NEWEST_MATCHES = `select p.thread_id, p.number, p.posted_at, ${IN_TITLE}
  from (select thread_id, number, posted_at, words from ${COMMUNITY_POSTS.table}
        where status = 'visible' order by posted_at desc limit ${SEARCHED_posts}) p
  where ${MATCHES} limit ${SORTED_posts}`;

const rankThreads = (found: string) => `with found as materialized (${found}),
    best as (select thread_id, bool_or(in_title) as in_title, bool_or(number = 0) as is_opening,
           max(posted_at) as at from found group by thread_id)
  select ${THREAD_COLUMNS}, count(*) over ()::int as threads
  from best join ${COMMUNITY_THREADS.table} t using (thread_id) ${THREAD_JOINS}
  where t.status = 'visible'
  order by best.in_title desc, best.is_opening desc, best.at desc, t.thread_id limit $3`;

/**
 * Finds visible threads in which a visible post contains all search words. Threads whose title matches come first, then
 * those whose opening post matches, and then the threads with the newest matching posts. If very many posts match, only
 * the newest posts are searched to limit the amount of work.
 */
export async function findThreads(
  reads: ReadPool,
  admin: string | null,
  wordsQuery: string,
  limit: number,
): Promise<ResponseOf<'search'>['data']['threads']> {
  const { rows: counts } = await reads.query<{ posts: number }>({
    name: 'search-posts-count',
    text: COUNT_MATCHES.replace('$2', '$1'),
    values: [wordsQuery],
  });
  const posts = counts[0]?.posts ?? 0;
  if (posts === 0) return { data: [], total: 0 };
  const hasFewMatches = posts <= COLLECT_posts;
  const { rows } = await reads.query<ThreadRow & { readonly threads: number }>({
    name: hasFewMatches ? 'search-threads-collected' : 'search-threads-walked',
    text: rankThreads(hasFewMatches ? ALL_MATCHES : NEWEST_MATCHES),
    values: [admin, wordsQuery, limit, createTitleTsquery(wordsQuery)],
  });
  return { data: rows.map((row) => createThreadCard(row)), total: hasFewMatches ? (rows[0]?.threads ?? 0) : null };
}
