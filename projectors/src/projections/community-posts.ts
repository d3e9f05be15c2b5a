import { truncateText, toPostId, type DomainEvent } from '@alpenglow/domain';
import { COMMUNITY_POSTS, renderMarkdown, type JsonRowOf } from '@alpenglow/infra';
import { defineProjection } from '../projection.ts';
import { formatSearchVector } from './search-vector.ts';

export type CommunityPostRow = JsonRowOf<typeof COMMUNITY_POSTS>;

const EXCERPT_MAX = 280;
const WORDS_MAX = 512;

export const communityPosts = defineProjection(COMMUNITY_POSTS)({
  sharedColumns: ['helpful_count'],
  indexes: (table) => [
    `create index on ${table} (thread_id, number)`,
    `create index on ${table} (fingerprint, posted_at)`,
    `create index on ${table} (hidden_at desc, post_id desc) where status = 'hidden'`,
    `create index on ${table} (posted_at desc) where status = 'visible'`,
    `create index on ${table} using gin (words) with (gin_pending_list_limit = 256)`,
  ],
  keyOf: ({ data }) => {
    if (!('threadId' in data)) return null;
    return toPostId(data.threadId, 'number' in data ? data.number : 0);
  },
  lazyColumns: {
    columns: ['title', 'body', 'html', 'excerpt', 'words', 'history'],
    on: ['PostMarkedHelpful', 'PostUnmarkedHelpful'],
  },
  on: {
    ThreadStarted: ({ data, meta }) => newRow({ ...data, number: 0, quotedNumber: null }, data.title, meta.at),
    ReplyPosted: ({ data, meta }) => newRow(data, null, meta.at),
    PostEdited: ({ data, meta }, row) => {
      if (!row) return null;
      const title = row.title === null ? null : (data.title ?? row.title);
      // An edit that changes neither text nor title is ignored, so the history gets no entry.
      if (data.body === row.body && title === row.title) return row;
      // The time is converted, because Postgres returns times in another format than the format in events.
      const replacedAt = new Date(row.edited_at ?? row.posted_at).toISOString();
      const history = [...row.history, { at: replacedAt, body: row.body }];
      return { ...row, ...textColumns(title, data.body), fingerprint: data.fingerprint, edited_at: meta.at, history };
    },
    PostDeleted: (_event, row) =>
      row && { ...row, title: row.title === null ? null : '', ...NO_TEXT, status: 'deleted', ...NOT_HIDDEN },
    PostHidden: ({ data, meta }, row) =>
      row && {
        ...row,
        words: '',
        status: 'hidden',
        hidden_by: data.by,
        hidden_reason: data.reason,
        hidden_at: meta.at,
      },
    PostRestored: (_event, row) =>
      row && { ...row, ...textColumns(row.title, row.body), status: 'visible', ...NOT_HIDDEN },
    PostMarkedHelpful: (_event, row) => row && { ...row, helpful_count: row.helpful_count + 1 },
    PostUnmarkedHelpful: (_event, row) => row && { ...row, helpful_count: row.helpful_count - 1 },
  },
});

const NOT_HIDDEN = { hidden_by: null, hidden_reason: null, hidden_at: null } as const;
const NO_TEXT = { body: '', html: '', excerpt: '', words: '', fingerprint: '', history: [] } as const;

type NewPost = Extract<DomainEvent, { readonly type: 'ReplyPosted' }>['data'];

function newRow(
  { threadId, number, accountId, body, fingerprint, quotedNumber }: NewPost,
  title: string | null,
  at: string,
): CommunityPostRow {
  return {
    post_id: toPostId(threadId, number),
    thread_id: threadId,
    number,
    account_id: accountId,
    ...textColumns(title, body),
    fingerprint,
    status: 'visible',
    ...NOT_HIDDEN,
    quoted_number: quotedNumber,
    posted_at: at,
    edited_at: null,
    helpful_count: 0,
    history: [],
  };
}

/** Returns the columns that are derived from the title and the Markdown text of a post. */
function textColumns(title: string | null, body: string) {
  const { html, text } = renderMarkdown(body, 'post');
  return {
    title,
    body,
    html,
    excerpt: truncateText(text, EXCERPT_MAX),
    words:
      title === null
        ? formatSearchVector([['C', text, WORDS_MAX]])
        : formatSearchVector([
            ['A', title, WORDS_MAX],
            ['B', text, WORDS_MAX],
          ]),
  };
}
