import type { ResponseOf } from '@alpenglow/domain';
import { COMMUNITY_POSTS, COMMUNITY_THREADS, type Pool, type SelectedRow } from '@alpenglow/infra';
import { createPage, type PageQuery } from '../paging.ts';
import type { Caller } from './members.ts';
import { POST_COLUMNS, POST_JOINS, createPostView, type PostRow } from './post-view.ts';
import { THREAD_COLUMNS, THREAD_JOINS, createThreadCard, type ThreadRow } from './thread-card.ts';

export type HiddenPostPage = Pick<ResponseOf<'listHiddenPosts'>, 'data' | 'nextCursor' | 'total'>;

const THREAD_ID = COMMUNITY_POSTS.select(['thread_id'], 'p');
type HiddenRow = PostRow & SelectedRow<typeof THREAD_ID>;

/** Lists hidden community posts with their text for a moderator, the most recently hidden post first. */
export async function listHiddenPosts(
  pool: Pool,
  adminEmail: string | null,
  caller: NonNullable<Caller>,
  { after, limit }: PageQuery,
): Promise<HiddenPostPage> {
  const admin = adminEmail?.toLowerCase() ?? null;
  const [{ rows: counts }, { rows }] = await Promise.all([
    pool.query<{ total: number }>({
      name: 'hidden-posts-count',
      text: `select count(*)::int as total from ${COMMUNITY_POSTS.table} where status = 'hidden'`,
    }),
    pool.query<HiddenRow>({
      name: 'hidden-posts',
      text: `select ${POST_COLUMNS}, ${THREAD_ID} from ${COMMUNITY_POSTS.table} p ${POST_JOINS}
             where p.status = 'hidden' and ($3::timestamptz is null or (p.hidden_at, p.post_id) < ($3, $4))
             order by p.hidden_at desc, p.post_id desc limit $5`,
      values: [admin, caller.accountId, after?.key ?? null, after?.id ?? null, limit + 1],
    }),
  ]);
  const page = createPage(rows, limit, ({ hidden_at, posted_at, post_id }) => [hidden_at ?? posted_at, post_id]);
  const threads = await readThreads(
    pool,
    admin,
    page.rows.map(({ thread_id }) => thread_id),
  );
  const data = page.rows.flatMap((row): ResponseOf<'listHiddenPosts'>['data'] => {
    const thread = threads.get(row.thread_id);
    if (!thread) return [];
    return [
      {
        thread: createThreadCard(thread, true),
        post: createPostView(row, caller, thread.is_locked),
        by: row.hidden_by ?? 'moderator',
        hiddenAt: (row.hidden_at ?? row.posted_at).toISOString(),
      },
    ];
  });
  return { data, nextCursor: page.nextCursor, total: counts[0]?.total ?? 0 };
}

async function readThreads(
  pool: Pool,
  admin: string | null,
  ids: readonly string[],
): Promise<ReadonlyMap<string, ThreadRow>> {
  const { rows } = await pool.query<ThreadRow>({
    name: 'threads-by-id',
    text: `select ${THREAD_COLUMNS} from ${COMMUNITY_THREADS.table} t ${THREAD_JOINS} where t.thread_id = any($2)`,
    values: [admin, ids],
  });
  return new Map(rows.map((row) => [row.thread_id, row]));
}
