import {
  COUNTRIES,
  DomainError,
  MAX_REPLIES,
  slugOf,
  THREAD_ID,
  threadCodeIn,
  type CommunityLocationsAnswer,
  type FollowMail,
  type FollowsAnswer,
  type ThreadAnswer,
} from '@alpenglow/domain';
import type { Pool } from '@alpenglow/infra';
import type { Asker } from './members.ts';
import { POST_COLUMNS, POST_OTHERS, postViewOf, type PostRow } from './post-view.ts';
import { repliesPage } from './replies-page.ts';
import { THREAD_COLUMNS, THREAD_MEMBERS, threadCardOf, type ThreadRow } from './thread-card.ts';
import { listThreads, type ThreadPage } from './thread-list.ts';
import { parseRepliesQuery, type ThreadListQuery } from './thread-query.ts';

export interface ThreadReader {
  /** Threads that are to be seen. */
  list(query: ThreadListQuery): Promise<ThreadPage>;
  /**
   * A thread, named by its id or a slug whose words may be old, with the page of replies its query string asks for. Null where there is
   * none the asker may see. Rejects with INVALID_FIELDS.
   */
  find(idOrSlug: string, query: unknown, asker: Asker): Promise<Pick<ThreadAnswer, 'data' | 'nextCursor'> | null>;
  /** Every place there may be threads in, with how many are to be seen. */
  locations(): Promise<CommunityLocationsAnswer['data']>;
  /** What an account follows, the thread followed last first. Hidden threads are for moderators. */
  follows(asker: NonNullable<Asker>): Promise<FollowsAnswer['data']>;
}

interface FoundRow extends ThreadRow {
  readonly follow: FollowMail | null;
}

/** Replies from `$4` to `$5`, and the opening post. Apart, so that each is a stretch of the index, however long the thread is. */
const POSTS = `select ${POST_COLUMNS} from (
    select * from rm.community_posts where thread_id = $3 and number = 0
    union all select * from rm.community_posts where thread_id = $3 and number between $4 and $5
  ) p ${POST_OTHERS} order by p.number`;

/** Reads threads from the read models. */
export function createThreadReader({
  pool,
  adminEmail,
}: {
  readonly pool: Pool;
  readonly adminEmail: string | null;
}): ThreadReader {
  const admin = adminEmail?.toLowerCase() ?? null;

  async function threadNamed(idOrSlug: string, asker: Asker): Promise<FoundRow | null> {
    const isId = THREAD_ID.test(idOrSlug);
    const key = isId ? idOrSlug : threadCodeIn(idOrSlug);
    if (key === null) return null;
    const { rows } = await pool.query<FoundRow>({
      name: isId ? 'thread-by-id' : 'thread-by-code',
      text: `select ${THREAD_COLUMNS}, follow.mail as follow from rm.community_threads t ${THREAD_MEMBERS}
             left join rm.thread_follows follow on follow.follow_id = $2::text || '/' || t.thread_id
             where ${isId ? 't.thread_id' : 't.code'} = $3 and (t.status <> 'hidden' or $4) order by t.thread_id limit 1`,
      values: [admin, asker?.accountId ?? null, key, asker?.isModerator === true],
    });
    return rows[0] ?? null;
  }

  return {
    list: (query) => listThreads(pool, admin, query),

    async find(idOrSlug, query, asker) {
      const row = await threadNamed(idOrSlug, asker);
      if (!row) return null;
      const { asked, limit } = parseRepliesQuery(query, row.code);
      const wanted = repliesPage(asked, limit, { code: row.code, lastNumber: row.last_number });
      const { rows } = await pool.query<PostRow>({
        name: 'thread-posts',
        text: POSTS,
        values: [admin, asker?.accountId ?? null, row.thread_id, Math.max(1, wanted.first), wanted.last],
      });
      const [opening, ...replies] = rows.map((post) => postViewOf(post, asker, row.is_locked));
      // The posts may be a moment behind the thread, or it may have been hidden since it was read.
      if (opening?.number !== 0 || (opening.status === 'hidden' && asker?.isModerator !== true)) return null;
      const lastNumber =
        replies.length < wanted.last - wanted.first + 1 ? wanted.first - 1 + replies.length : row.last_number;
      const page = lastNumber === row.last_number ? wanted : repliesPage(asked, limit, { code: row.code, lastNumber });
      const canReply = (!row.is_locked || asker?.isModerator === true) && row.last_number < MAX_REPLIES;
      const { previousCursor, nextCursor } = page;
      return {
        data: { ...threadCardOf(row), opening, replies, lastNumber, previousCursor, follow: row.follow, canReply },
        nextCursor,
      };
    },

    async locations() {
      const { rows } = await pool.query<{ key: string; count: number }>({
        name: 'community-places',
        text: 'select key, count from rm.community_places',
      });
      const counts = new Map(rows.map(({ key, count }) => [key, count]));
      const countOf = (...parts: readonly string[]) => counts.get(parts.join('/')) ?? 0;
      return COUNTRIES.map((country) => ({
        code: country.code,
        name: country.name,
        count: countOf(country.code),
        states: country.states.map(({ code, name, cities }) => ({
          code,
          name,
          count: countOf(country.code, code),
          cities: cities.map((city) => ({ name: city, slug: slugOf(city), count: countOf(country.code, code, city) })),
        })),
      }));
    },

    async follows({ accountId, isModerator }) {
      const { rows } = await pool.query<FoundRow & { readonly follow: FollowMail }>({
        name: 'thread-follows',
        text: `select ${THREAD_COLUMNS}, follow.mail as follow from rm.thread_follows follow join rm.community_threads t using (thread_id) ${THREAD_MEMBERS}
               where follow.account_id = $2 and (t.status <> 'hidden' or $3) order by follow.followed_at desc, follow.thread_id desc`,
        values: [admin, accountId, isModerator],
      });
      return rows.map((row) => ({ thread: threadCardOf(row), mail: row.follow }));
    },
  };
}

/** The thread that was found. Throws THREAD_NOT_FOUND. */
export function foundThread<Thread>(thread: Thread | null): Thread {
  if (thread === null) throw new DomainError('THREAD_NOT_FOUND');
  return thread;
}
