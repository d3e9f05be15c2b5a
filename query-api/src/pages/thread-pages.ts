import {
  hideContactDetails,
  truncateText,
  THREAD_ID,
  parseThreadCode,
  removeContactDetails,
  type PageReader,
  type PageThread,
  type SitemapThread,
} from '@alpenglow/domain';
import { COMMUNITY_THREADS, type ReadPool, type SelectedRow } from '@alpenglow/infra';
import { EXCERPT_MAX } from './excerpt.ts';

const LISTED = COMMUNITY_THREADS.select(['thread_id', 'country', 'state', 'city', 'title', 'last_post_at']);
const DETAILS = COMMUNITY_THREADS.select(['excerpt', 'status', 'reply_count', 'started_at']);
type ThreadPageRow = SelectedRow<typeof LISTED> & SelectedRow<typeof DETAILS>;

/**
 * Creates the functions that read threads for server-rendered pages and the sitemap. These functions do not find hidden
 * threads.
 */
export function createThreadPages(reads: ReadPool): Pick<PageReader, 'findThread' | 'listSitemapThreads'> {
  return {
    async findThread(idOrSlug) {
      const isId = THREAD_ID.test(idOrSlug);
      const key = isId ? idOrSlug : parseThreadCode(idOrSlug);
      if (key === null) return null;
      const { rows } = await reads.query<ThreadPageRow>({
        name: isId ? 'page-thread-by-id' : 'page-thread-by-code',
        text: `select ${LISTED}, ${DETAILS}
                 from ${COMMUNITY_THREADS.table}
                where ${isId ? 'thread_id' : 'code'} = $1 and status <> 'hidden'
                order by thread_id limit 1`,
        values: [key],
      });
      return rows[0] ? createPageThread(rows[0]) : null;
    },

    async listSitemapThreads(after, limit) {
      const { rows } = await reads.query<SelectedRow<typeof LISTED>>({
        name: 'sitemap-threads',
        text: `select ${LISTED}
                 from ${COMMUNITY_THREADS.table}
                where thread_id > $1 and status = 'visible'
                order by thread_id limit $2`,
        values: [after, limit],
      });
      return rows.map(
        ({ thread_id: id, country, state, city, title, last_post_at }): SitemapThread => ({
          id,
          country,
          state,
          city,
          title: hideContactDetails(title),
          lastPostAt: last_post_at.toISOString(),
        }),
      );
    },
  };
}

function createPageThread({
  thread_id: id,
  country,
  state,
  city,
  title,
  excerpt,
  status,
  reply_count,
  started_at,
  last_post_at,
}: ThreadPageRow): PageThread {
  return {
    id,
    country,
    state,
    city,
    title: hideContactDetails(title),
    heading: removeContactDetails(title),
    excerpt: truncateText(removeContactDetails(excerpt), EXCERPT_MAX),
    replyCount: reply_count,
    startedAt: started_at.toISOString(),
    lastPostAt: last_post_at.toISOString(),
    isListed: status === 'visible',
  };
}
