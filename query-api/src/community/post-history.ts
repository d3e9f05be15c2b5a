import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { DomainError, THREAD_ID } from '@alpenglow/domain';
import {
  COMMUNITY_POSTS,
  COMMUNITY_THREADS,
  renderMarkdown,
  type Pool,
  type RowOf,
  type SelectedRow,
} from '@alpenglow/infra';
import { isAuthor, isOwnPost, type Caller } from './members.ts';
import { isRemovedPost } from './post-view.ts';

const POST = COMMUNITY_POSTS.select(['account_id', 'status', 'html', 'posted_at', 'edited_at', 'history'], 'p');

interface VersionsRow extends SelectedRow<typeof POST> {
  /** True if a moderator has removed the post, so that its author does not read it either. */
  readonly is_removed: boolean;
}

interface ThreadOfPost {
  readonly thread_status: RowOf<typeof COMMUNITY_THREADS>['status'];
  readonly thread_account_id: string;
  readonly thread_started_at: Date;
  readonly thread_is_removed: boolean;
}

const NUMBER = /^\d{1,7}$/u;

/**
 * Reads all versions of a post for its author or a moderator, the oldest first. Rejects with THREAD_NOT_FOUND,
 * ONLY_AUTHOR or POST_NOT_FOUND. The author can read a hidden post, but not a removed one. No one can read a deleted
 * post. Only moderators and the author of a hidden thread can read posts of this thread.
 */
export async function readPostHistory(pool: Pool, threadId: string, number: string, caller: NonNullable<Caller>) {
  if (!THREAD_ID.test(threadId)) throw new DomainError('THREAD_NOT_FOUND');
  const { rows } = await pool.query<Partial<VersionsRow> & ThreadOfPost>({
    name: 'post-history',
    text: `select t.status as thread_status, t.account_id as thread_account_id, t.started_at as thread_started_at,
                  exists (select from ${COMMUNITY_POSTS.table} o where o.thread_id = t.thread_id and o.number = 0
                             and ${isRemovedPost('o')}) as thread_is_removed,
                  ${isRemovedPost('p')} as is_removed, ${POST}
             from ${COMMUNITY_THREADS.table} t
             left join ${COMMUNITY_POSTS.table} p on p.thread_id = t.thread_id and p.number = $2
            where t.thread_id = $1`,
    values: [threadId, NUMBER.test(number) ? Number(number) : -1],
  });
  const row = rows[0];
  if (!row || !canReadThread(row, caller)) throw new DomainError('THREAD_NOT_FOUND');
  if (!exists(row)) throw new DomainError('POST_NOT_FOUND');
  if (!isAuthor(caller, row.account_id) && !caller.isModerator) throw new DomainError('ONLY_AUTHOR');
  const isReadable = row.status === 'visible' || caller.isModerator || (!row.is_removed && isOwnPost(caller, row));
  if (row.status === 'deleted' || !isReadable) throw new DomainError('POST_NOT_FOUND');
  const earlier: { html: string; at: string }[] = [];
  for (const { at, body } of row.history) {
    earlier.push({ html: renderMarkdown(body, 'post').html, at: new Date(at).toISOString() });
    // Other requests are handled after each rendered version, because rendering many versions takes long.
    await yieldToEventLoop();
  }
  return {
    authorId: row.account_id,
    versions: [...earlier, { html: row.html, at: (row.edited_at ?? row.posted_at).toISOString() }],
  };
}

function canReadThread(row: ThreadOfPost, caller: NonNullable<Caller>): boolean {
  if (row.thread_status !== 'hidden' || caller.isModerator) return true;
  return (
    !row.thread_is_removed && isOwnPost(caller, { account_id: row.thread_account_id, posted_at: row.thread_started_at })
  );
}

function exists(row: Partial<VersionsRow>): row is VersionsRow {
  return row.account_id != null;
}
