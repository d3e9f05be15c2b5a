import {
  COUNTRIES,
  DomainError,
  hideContactDetails,
  MAX_REPLIES,
  slugify,
  THREAD_ID,
  parseThreadCode,
  type ResponseOf,
} from '@alpenglow/domain';
import type { QueryOf } from '@alpenglow/domain/api';
import {
  COMMUNITY_PLACES,
  COMMUNITY_POSTS,
  COMMUNITY_THREADS,
  THREAD_FOLLOWS,
  type ReadPool,
  type Nullable,
  type SelectedRow,
} from '@alpenglow/infra';
import type { Dependencies } from '../dependencies.ts';
import type { Caller } from './members.ts';
import { POST_COLUMNS, POST_JOINS, createPostView, type PostRow } from './post-view.ts';
import { createRepliesPage } from './replies-page.ts';
import { THREAD_COLUMNS, THREAD_JOINS, createThreadCard, type ThreadRow } from './thread-card.ts';
import { listThreads, type ThreadPage } from './thread-list.ts';
import { toRepliesRequest, type ThreadListQuery } from './thread-query.ts';

export type ThreadReader = ReturnType<typeof createThreadReader>;

const FOLLOW = THREAD_FOLLOWS.select(['mail'], 'follow');
type FollowedRow = ThreadRow & SelectedRow<typeof FOLLOW>;
type FoundRow = ThreadRow & Nullable<SelectedRow<typeof FOLLOW>>;

/**
 * The SQL query that reads the opening post of a thread, and the replies from number `$4` to number `$5`. It combines
 * two queries with a union, so that each of them reads a single range of the index.
 */
const POSTS = `select ${POST_COLUMNS} from (
    select * from ${COMMUNITY_POSTS.table} where thread_id = $3 and number = 0
    union all select * from ${COMMUNITY_POSTS.table} where thread_id = $3 and number between $4 and $5
  ) p ${POST_JOINS} order by p.number`;

/** Creates an object that reads community threads. Read replicas may run the statements for visitors. */
export function createThreadReader({ pool, reads, adminEmail }: Dependencies<'pool' | 'reads' | 'adminEmail'>) {
  const admin = adminEmail?.toLowerCase() ?? null;
  const serverFor = (caller: Caller): ReadPool => (caller ? pool : reads);

  async function findThread(idOrSlug: string, caller: Caller): Promise<FoundRow | null> {
    const isId = THREAD_ID.test(idOrSlug);
    const key = isId ? idOrSlug : parseThreadCode(idOrSlug);
    if (key === null) return null;
    const { rows } = await serverFor(caller).query<FoundRow>({
      name: isId ? 'thread-by-id' : 'thread-by-code',
      text: `select ${THREAD_COLUMNS}, ${FOLLOW} from ${COMMUNITY_THREADS.table} t ${THREAD_JOINS}
             left join ${THREAD_FOLLOWS.table} follow on follow.follow_id = $2::text || '/' || t.thread_id
             where ${isId ? 't.thread_id' : 't.code'} = $3 and (t.status <> 'hidden' or $4 or t.account_id = $5)
             order by t.thread_id limit 1`,
      values: [
        admin,
        caller?.accountId ?? null,
        key,
        caller?.isModerator === true,
        caller?.isVerified === true ? caller.accountId : null,
      ],
    });
    return rows[0] ?? null;
  }

  return {
    /** Lists visible threads. */
    list: (query: ThreadListQuery): Promise<ThreadPage> => listThreads(reads, admin, query),

    /**
     * Finds a thread by its id or slug, together with the page of replies that `query` requests. A slug from a previous
     * title of the thread is also accepted. Returns null if the caller may not read the thread. Rejects with
     * INVALID_FIELDS.
     */
    async find(
      idOrSlug: string,
      query: () => QueryOf<'getThread'>,
      caller: Caller,
    ): Promise<Pick<ResponseOf<'getThread'>, 'data' | 'nextCursor'> | null> {
      const row = await findThread(idOrSlug, caller);
      if (!row) return null;
      const fields = query();
      const { limit } = fields;
      const requested = toRepliesRequest(fields, row.code);
      const expectedPage = createRepliesPage(requested, limit, { code: row.code, lastNumber: row.last_number });
      const { rows } = await serverFor(caller).query<PostRow>({
        name: 'thread-posts',
        text: POSTS,
        values: [admin, caller?.accountId ?? null, row.thread_id, Math.max(1, expectedPage.first), expectedPage.last],
      });
      const [opening, ...replies] = rows.map((post) => createPostView(post, caller, row.is_locked));
      // Only its author and moderators read a hidden opening post, and so its thread. The thread may have been
      // hidden after the previous query. The opening post may also be missing, because the read model of posts may be
      // behind. In these cases, the thread counts as not found.
      const isModerator = caller?.isModerator === true;
      if (opening?.number !== 0) return null;
      const isHidden = row.status === 'hidden' || opening.status === 'hidden';
      if (isHidden && opening.html === null && !isModerator) return null;
      const lastNumber =
        replies.length < expectedPage.last - expectedPage.first + 1
          ? expectedPage.first - 1 + replies.length
          : row.last_number;
      const page =
        lastNumber === row.last_number
          ? expectedPage
          : createRepliesPage(requested, limit, { code: row.code, lastNumber });
      const canReply = ((!row.is_locked && !isHidden) || isModerator) && row.last_number < MAX_REPLIES;
      const { previousCursor, nextCursor } = page;
      const card = createThreadCard(row, opening.isMine || isModerator);
      const isTitleMarked = opening.isMine && hideContactDetails(row.title) !== row.title;
      return {
        data: {
          ...card,
          opening: isTitleMarked ? { ...opening, hasContactDetails: true } : opening,
          replies,
          lastNumber,
          previousCursor,
          follow: row.mail,
          canReply,
        },
        nextCursor,
      };
    },

    /** Lists every place that can have threads, with the number of visible threads. */
    async listLocations(): Promise<ResponseOf<'listCommunityLocations'>['data']> {
      const { rows } = await reads.query<{ key: string; count: number }>({
        name: 'community-places',
        text: `select key, count from ${COMMUNITY_PLACES.table}`,
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
          cities: cities.map((city) => ({ name: city, slug: slugify(city), count: countOf(country.code, code, city) })),
        })),
      }));
    },

    /**
     * Lists the threads that an account follows, the most recently followed thread first. Only moderators receive
     * hidden threads.
     */
    async listFollows({ accountId, isModerator }: NonNullable<Caller>): Promise<ResponseOf<'listFollows'>['data']> {
      const { rows } = await pool.query<FollowedRow>({
        name: 'thread-follows',
        text: `select ${THREAD_COLUMNS}, ${FOLLOW}
                 from ${THREAD_FOLLOWS.table} follow join ${COMMUNITY_THREADS.table} t using (thread_id) ${THREAD_JOINS}
                where follow.account_id = $2 and (t.status <> 'hidden' or $3)
                order by follow.followed_at desc, follow.thread_id desc`,
        values: [admin, accountId, isModerator],
      });
      return rows.map((row) => ({ thread: createThreadCard(row, isModerator), mail: row.mail }));
    },
  };
}

/** Returns the thread. Throws THREAD_NOT_FOUND if it is null. */
export function requireThread<Thread>(thread: Thread | null): Thread {
  if (thread === null) throw new DomainError('THREAD_NOT_FOUND');
  return thread;
}
