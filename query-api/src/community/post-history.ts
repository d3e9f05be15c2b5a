import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { DomainError, THREAD_ID } from '@alpenglow/domain';
import { renderMarkdown, type Pool } from '@alpenglow/infra';
import { isAuthor, type Caller } from './members.ts';

interface VersionsRow {
  readonly account_id: string;
  readonly status: 'visible' | 'hidden' | 'deleted';
  readonly thread_status: 'visible' | 'hidden' | 'deleted';
  readonly html: string;
  readonly posted_at: Date;
  readonly edited_at: Date | null;
  readonly history: readonly { readonly at: string; readonly body: string }[];
}

const NUMBER = /^\d{1,7}$/u;

/**
 * Reads all versions of a post for its author or a moderator, the oldest first. Rejects with THREAD_NOT_FOUND,
 * ONLY_AUTHOR or POST_NOT_FOUND. The author cannot read a hidden post, and no one can read a deleted post.
 */
export async function readPostHistory(pool: Pool, threadId: string, number: string, caller: NonNullable<Caller>) {
  if (!THREAD_ID.test(threadId)) throw new DomainError('THREAD_NOT_FOUND');
  const { rows } = await pool.query<Partial<VersionsRow> & Pick<VersionsRow, 'thread_status'>>({
    name: 'post-history',
    text: `select t.status as thread_status, p.account_id, p.status, p.html, p.posted_at, p.edited_at, p.history
             from rm.community_threads t
             left join rm.community_posts p on p.thread_id = t.thread_id and p.number = $2
            where t.thread_id = $1`,
    values: [threadId, NUMBER.test(number) ? Number(number) : -1],
  });
  const row = rows[0];
  if (!row || (row.thread_status === 'hidden' && !caller.isModerator)) throw new DomainError('THREAD_NOT_FOUND');
  if (!exists(row)) throw new DomainError('POST_NOT_FOUND');
  if (!isAuthor(caller, row.account_id) && !caller.isModerator) throw new DomainError('ONLY_AUTHOR');
  if (row.status === 'deleted' || (row.status === 'hidden' && !caller.isModerator))
    throw new DomainError('POST_NOT_FOUND');
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

function exists(row: Partial<VersionsRow>): row is VersionsRow {
  return row.account_id != null;
}
