import { beginningOf, postIdOf } from '@alpenglow/domain';
import { renderMarkdown } from '@alpenglow/infra';
import { defineProjection } from '../projection.ts';
import { weightedWords } from './words.ts';

/** One post of a thread. What a hidden one says stays for moderators: whoever reads for others looks at `status`. */
export type CommunityPostRow = {
  readonly post_id: string;
  readonly thread_id: string;
  readonly number: number;
  readonly account_id: string;
  /** Of an opening post. */
  readonly title: string | null;
  /** Markdown. */
  readonly body: string;
  readonly html: string;
  readonly excerpt: string;
  /** None unless it is to be seen: what is not is not found. */
  readonly words: string;
  readonly fingerprint: string;
  readonly status: 'visible' | 'hidden' | 'deleted';
  readonly hidden_by: string | null;
  readonly hidden_reason: string | null;
  readonly hidden_at: string | null;
  readonly quoted_number: number | null;
  readonly posted_at: string;
  readonly edited_at: string | null;
  readonly helpful_count: number;
  /** What it said before, the oldest first. */
  readonly history: readonly { readonly at: string; readonly body: string }[];
};

const EXCERPT_MAX = 280;
const WORDS_MAX = 512;

export const communityPosts = defineProjection<CommunityPostRow>({
  name: 'community_posts',
  version: 1,
  columns: {
    post_id: 'text primary key',
    thread_id: 'text not null',
    number: 'integer not null',
    account_id: 'text not null',
    title: 'text',
    body: 'text not null',
    html: 'text not null',
    excerpt: 'text not null',
    words: 'tsvector not null',
    fingerprint: 'text not null',
    status: 'text not null',
    hidden_by: 'text',
    hidden_reason: 'text',
    hidden_at: 'timestamptz',
    quoted_number: 'integer',
    posted_at: 'timestamptz not null',
    edited_at: 'timestamptz',
    helpful_count: 'integer not null',
    history: 'jsonb not null',
  },
  indexes: (table) => [
    `create index on ${table} (thread_id, number)`,
    `create index on ${table} (fingerprint, posted_at)`,
    `create index on ${table} (hidden_at desc, post_id desc) where status = 'hidden'`,
    `create index on ${table} (posted_at desc) where status = 'visible'`,
    `create index on ${table} using gin (words) with (gin_pending_list_limit = 256)`,
  ],
  keyOf: ({ data }) => {
    if (!('threadId' in data)) return null;
    return postIdOf(data.threadId, 'number' in data ? data.number : 0);
  },
  leaves: {
    columns: ['title', 'body', 'html', 'excerpt', 'words', 'history'],
    on: ['PostMarkedHelpful', 'PostUnmarkedHelpful'],
  },
  on: {
    ThreadStarted: ({ data, meta }) => newRow({ ...data, number: 0, quotedNumber: null }, data.title, meta.at),
    ReplyPosted: ({ data, meta }) => newRow(data, null, meta.at),
    PostEdited: ({ data, meta }, row) => {
      if (!row) return null;
      const title = row.title === null ? null : (data.title ?? row.title);
      // The same once more is no change.
      if (data.body === row.body && title === row.title) return row;
      const history = [...row.history, { at: isoOf(row.edited_at ?? row.posted_at), body: row.body }];
      return { ...row, ...shown(title, data.body), fingerprint: data.fingerprint, edited_at: meta.at, history };
    },
    PostDeleted: (_event, row) =>
      row && {
        ...row,
        title: row.title === null ? null : '',
        ...NOTHING_SAID,
        status: 'deleted',
        hidden_by: null,
        hidden_reason: null,
        hidden_at: null,
      },
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
      row && {
        ...row,
        ...shown(row.title, row.body),
        status: 'visible',
        hidden_by: null,
        hidden_reason: null,
        hidden_at: null,
      },
    PostMarkedHelpful: (_event, row) => row && { ...row, helpful_count: row.helpful_count + 1 },
    PostUnmarkedHelpful: (_event, row) => row && { ...row, helpful_count: row.helpful_count - 1 },
  },
});

/** As an event has it: Postgres writes a time in a way of its own. */
function isoOf(at: string): string {
  return new Date(at).toISOString();
}

const NOTHING_SAID = { body: '', html: '', excerpt: '', words: '', fingerprint: '', history: [] } as const;

interface NewPost {
  readonly threadId: string;
  readonly number: number;
  readonly accountId: string;
  readonly body: string;
  readonly fingerprint: string;
  readonly quotedNumber: number | null;
}

function newRow(
  { threadId, number, accountId, body, fingerprint, quotedNumber }: NewPost,
  title: string | null,
  at: string,
): CommunityPostRow {
  return {
    post_id: postIdOf(threadId, number),
    thread_id: threadId,
    number,
    account_id: accountId,
    ...shown(title, body),
    fingerprint,
    status: 'visible',
    hidden_by: null,
    hidden_reason: null,
    hidden_at: null,
    quoted_number: quotedNumber,
    posted_at: at,
    edited_at: null,
    helpful_count: 0,
    history: [],
  };
}

/** A post's words in every form they are read in. */
function shown(title: string | null, body: string) {
  const { html, text } = renderMarkdown(body, 'post');
  return {
    title,
    body,
    html,
    excerpt: beginningOf(text, EXCERPT_MAX),
    words:
      title === null
        ? weightedWords([['C', text, WORDS_MAX]])
        : weightedWords([
            ['A', title, WORDS_MAX],
            ['B', text, WORDS_MAX],
          ]),
  };
}
