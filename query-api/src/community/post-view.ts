import { EDIT_WINDOW_ms, hideContactDetails, type PostView } from '@alpenglow/domain';
import {
  ACCOUNTS,
  COMMUNITY_POSTS,
  COMMUNITY_THREADS,
  HELPFUL_MARKS,
  MODERATION_CASES,
  hideContactDetailsInHtml,
  type SelectedRow,
} from '@alpenglow/infra';
import { isAuthor, isOwnPost, memberColumns, createMemberView, type Caller } from './members.ts';

const POST = COMMUNITY_POSTS.select(
  [
    'post_id',
    'number',
    'account_id',
    'status',
    'html',
    'hidden_by',
    'hidden_reason',
    'hidden_at',
    'posted_at',
    'edited_at',
    'helpful_count',
    'quoted_number',
  ],
  'p',
);

export interface PostRow extends SelectedRow<typeof POST> {
  /** The Markdown text of the post if the caller is its author. Null for other callers. */
  readonly own_body: string | null;
  /** True for a hidden post of the caller that a moderator has removed, so that its author does not read it either. */
  readonly is_removed: boolean;
  readonly author_name: string | null;
  readonly author_is_moderator: boolean;
  readonly quoted_status: PostView['status'] | null;
  readonly quoted_excerpt: string | null;
  readonly quoted_name: string | null;
  readonly quoted_is_moderator: boolean;
  /** Time at which an account with the caller's id last marked the post as helpful. Null if it has no such mark. */
  readonly marked_at: Date | null;
  readonly is_starter: boolean;
}

/**
 * Returns the SQL condition that a moderator has removed the post `post`, and not only hidden it. Its author then
 * cannot read it either.
 */
export const isRemovedPost = (post: string): string => `exists (
    select from ${MODERATION_CASES.table} h
     where h.case_id = case ${post}.number when 0 then 'thread-' || ${post}.thread_id
                                           else 'post-' || ${post}.post_id end
       and h.is_holding and h.decision->>'outcome' <> 'hidden')`;

/**
 * The SQL expressions for the columns of a `PostRow`. They require `COMMUNITY_POSTS` with the alias `p` and
 * `POST_JOINS` in the `from` clause. `$2` is the account id of the caller, or null.
 */
export const POST_COLUMNS = `${POST},
  case when p.account_id = $2::text then p.body end as own_body,
  case when p.status = 'hidden' and p.account_id = $2::text then ${isRemovedPost('p')} else false end as is_removed,
  ${memberColumns('poster', 'author')},
  quoted.status as quoted_status,
  case when quoted.status = 'visible' then quoted.excerpt end as quoted_excerpt,
  ${memberColumns('quotee', 'quoted')},
  (select m.marked_at from ${HELPFUL_MARKS.table} m where m.mark_id = $2::text || '/' || p.post_id) as marked_at,
  p.account_id = (select account_id from ${COMMUNITY_THREADS.table} where thread_id = p.thread_id) as is_starter`;

/** The SQL joins that add the author of a post `p` and the quoted post. */
export const POST_JOINS = `left join ${ACCOUNTS.table} poster on poster.account_id = p.account_id
  left join ${COMMUNITY_POSTS.table} quoted on quoted.thread_id = p.thread_id and quoted.number = p.quoted_number
  left join ${ACCOUNTS.table} quotee on quotee.account_id = quoted.account_id`;

/**
 * Converts a community post to the API format. Only moderators and the author receive the text of a hidden post and the
 * reason. The author does not receive the text of a removed post. Everybody else receives the texts without
 * contact details.
 */
export function createPostView(row: PostRow, caller: Caller, isLocked: boolean): PostView {
  const { status } = row;
  const isMine = isAuthor(caller, row.account_id);
  const isModerator = caller?.isModerator === true;
  const isReadable =
    status === 'visible' || (status === 'hidden' && (isModerator || (!row.is_removed && isOwnPost(caller, row))));
  const visitorHtml = isReadable ? hideContactDetailsInHtml(row.html) : null;
  const editableUntil_ms = row.posted_at.getTime() + EDIT_WINDOW_ms;
  const isEditable = isMine && status === 'visible' && (!isLocked || isModerator) && editableUntil_ms > Date.now();
  return {
    id: row.post_id,
    number: row.number,
    author: createMemberView(row.author_name, row.author_is_moderator),
    status,
    html: isReadable && (isMine || isModerator) ? row.html : visitorHtml,
    markdown: isEditable ? row.own_body : null,
    quote: isReadable ? createQuote(row, isModerator) : null,
    postedAt: row.posted_at.toISOString(),
    editedAt: row.edited_at?.toISOString() ?? null,
    editableUntil: isEditable ? new Date(editableUntil_ms).toISOString() : null,
    hiddenReason: status === 'hidden' && (isMine || isModerator) ? row.hidden_reason : null,
    helpfulCount: row.helpful_count,
    isHelpful: caller !== null && row.marked_at !== null && row.marked_at.toISOString() >= caller.registeredAt,
    isMine,
    hasContactDetails: isMine && visitorHtml !== null && visitorHtml !== row.html,
    isStarter: row.is_starter,
  };
}

function createQuote(row: PostRow, isModerator: boolean): PostView['quote'] {
  const { quoted_number: number, quoted_excerpt: excerpt } = row;
  if (number === null) return null;
  return {
    number,
    author: createMemberView(row.quoted_name, row.quoted_is_moderator),
    excerpt: excerpt === null || isModerator ? excerpt : hideContactDetails(excerpt),
  };
}
