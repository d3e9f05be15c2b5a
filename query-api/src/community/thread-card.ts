import { hideContactDetails, threadSlug, type ThreadCard } from '@alpenglow/domain';
import { ACCOUNTS, COMMUNITY_THREADS, type SelectedRow } from '@alpenglow/infra';
import { memberColumns, createMemberView } from './members.ts';

const THREAD = COMMUNITY_THREADS.select(
  [
    'thread_id',
    'code',
    'country',
    'state',
    'city',
    'title',
    'excerpt',
    'status',
    'is_locked',
    'is_pinned',
    'reply_count',
    'last_number',
    'started_at',
    'last_post_at',
    'activity',
  ],
  't',
);

export interface ThreadRow extends SelectedRow<typeof THREAD> {
  readonly author_name: string | null;
  readonly author_is_moderator: boolean;
  readonly last_name: string | null;
  readonly last_is_moderator: boolean;
}

/**
 * The SQL expressions for the columns of a `ThreadRow`. They require `COMMUNITY_THREADS` with the alias `t` and
 * `THREAD_JOINS` in the `from` clause.
 */
export const THREAD_COLUMNS = `${THREAD},
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
