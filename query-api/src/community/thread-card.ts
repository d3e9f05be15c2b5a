import { hideContactDetails, threadSlug, type ThreadCard } from '@alpenglow/domain';
import { ACCOUNTS } from '@alpenglow/infra';
import { memberColumns, createMemberView } from './members.ts';

export interface ThreadRow {
  readonly thread_id: string;
  readonly code: string;
  readonly country: string;
  readonly state: string;
  readonly city: string;
  readonly title: string;
  readonly excerpt: string;
  readonly status: ThreadCard['status'];
  readonly is_locked: boolean;
  readonly is_pinned: boolean;
  readonly reply_count: number;
  readonly last_number: number;
  readonly started_at: Date;
  readonly last_post_at: Date;
  readonly activity: number;
  readonly author_name: string | null;
  readonly author_is_moderator: boolean;
  readonly last_name: string | null;
  readonly last_is_moderator: boolean;
}

/**
 * The SQL expressions for the columns of a `ThreadRow`. They require `rm.community_threads` with the alias `t` and
 * `THREAD_JOINS` in the `from` clause.
 */
export const THREAD_COLUMNS = `t.thread_id, t.code, t.country, t.state, t.city, t.title, t.excerpt, t.status,
  t.is_locked, t.is_pinned, t.reply_count, t.last_number, t.started_at, t.last_post_at, t.activity,
  ${memberColumns('starter', 'author')}, ${memberColumns('poster', 'last')}`;

/** The SQL joins that add the author of a thread `t` and the author of its last post. */
export const THREAD_JOINS = `left join ${ACCOUNTS.table} starter on starter.account_id = t.account_id
  left join ${ACCOUNTS.table} poster on poster.account_id = t.last_account_id`;

/**
 * Creates the card of a thread, which is the form of the thread in lists. This function does not check permissions, so
 * the SQL statement must return hidden threads only to moderators.
 * @param hasContactDetails true for the author and moderators, who read the texts with their contact details
 */
export function createThreadCard(row: ThreadRow, hasContactDetails = false): ThreadCard {
  const { thread_id: id, country, state, city, status } = row;
  const title = hideContactDetails(row.title);
  return {
    id,
    slug: threadSlug({ id, title }),
    title: hasContactDetails ? row.title : title,
    excerpt: hasContactDetails ? row.excerpt : hideContactDetails(row.excerpt),
    country,
    state,
    city,
    author: createMemberView(row.author_name, row.author_is_moderator),
    status,
    isLocked: row.is_locked,
    isPinned: row.is_pinned,
    replyCount: row.reply_count,
    startedAt: row.started_at.toISOString(),
    lastPostAt: row.last_post_at.toISOString(),
    lastPostBy: createMemberView(row.last_name, row.last_is_moderator),
  };
}
