import { beginningOf, threadCodeOf, type Recorded, type ThreadEvent } from '@alpenglow/domain';
import { renderMarkdown } from '@alpenglow/infra';
import { defineProjection, type Tally } from '../projection.ts';

/** A thread as lists show it. */
export type CommunityThreadRow = {
  readonly thread_id: string;
  /** At the end of its address. */
  readonly code: string;
  readonly account_id: string;
  readonly country: string;
  readonly state: string;
  readonly city: string;
  readonly title: string;
  readonly excerpt: string;
  /** Of its opening post; of one that was deleted while it was hidden, hidden. */
  readonly status: 'visible' | 'hidden' | 'deleted';
  readonly is_locked: boolean;
  readonly is_pinned: boolean;
  /** Replies to be seen. */
  readonly reply_count: number;
  /** Of replies that are hidden, so that one that is deleted after is not counted off twice. */
  readonly hidden_numbers: readonly number[];
  readonly last_number: number;
  readonly started_at: string;
  readonly last_post_at: string;
  readonly last_account_id: string;
  /** The logarithm of how many posts it had, each counting less by the day: what was active lately stands first, without a clock. */
  readonly activity: number;
  readonly updated_at: string;
};

const EXCERPT_MAX = 300;
/** After so long a post counts for a third of a new one. */
const ACTIVITY_DECAY_ms = 3 * 24 * 60 * 60_000;
const ACTIVITY_EPOCH_ms = Date.UTC(2026, 0, 1);

/** Visible threads by country, state and city. */
const communityPlaces: Tally<CommunityThreadRow> = {
  name: 'community_places',
  columns: ['country', 'state', 'city', 'status'],
  keysOf: ({ country, state, city, status }) =>
    status === 'visible' ? [country, `${country}/${state}`, `${country}/${state}/${city}`] : [],
  indexes: () => [],
};

export const communityThreads = defineProjection<CommunityThreadRow>({
  name: 'community_threads',
  version: 1,
  columns: {
    thread_id: 'text primary key',
    code: 'text not null',
    account_id: 'text not null',
    country: 'text not null',
    state: 'text not null',
    city: 'text not null',
    title: 'text not null',
    excerpt: 'text not null',
    status: 'text not null',
    is_locked: 'boolean not null',
    is_pinned: 'boolean not null',
    reply_count: 'integer not null',
    hidden_numbers: 'jsonb not null',
    last_number: 'integer not null',
    started_at: 'timestamptz not null',
    last_post_at: 'timestamptz not null',
    last_account_id: 'text not null',
    activity: 'double precision not null',
    updated_at: 'timestamptz not null',
  },
  indexes: (table) => [
    `create index on ${table} (code)`,
    ...['last_post_at', 'activity', 'started_at'].flatMap((order) =>
      ['', 'country, ', 'country, state, ', 'country, state, city, is_pinned desc, '].map(
        (place) => `create index on ${table} (${place}${order} desc, thread_id desc) where status = 'visible'`,
      ),
    ),
  ],
  keyOf: (event) => ('threadId' in event.data ? event.data.threadId : null),
  tallies: [communityPlaces],
  on: {
    ThreadStarted: ({ data, meta }) => ({
      thread_id: data.threadId,
      code: threadCodeOf(data.threadId),
      account_id: data.accountId,
      country: data.country,
      state: data.state,
      city: data.city,
      title: data.title,
      excerpt: excerptOf(data.body),
      status: 'visible',
      is_locked: false,
      is_pinned: false,
      reply_count: 0,
      hidden_numbers: [],
      last_number: 0,
      started_at: meta.at,
      last_post_at: meta.at,
      last_account_id: data.accountId,
      activity: weightOf(meta.at),
      updated_at: meta.at,
    }),
    ReplyPosted: ({ data, meta }, row) =>
      row && {
        ...row,
        reply_count: row.reply_count + 1,
        last_number: data.number,
        last_post_at: meta.at,
        last_account_id: data.accountId,
        activity: sumOf(row.activity, weightOf(meta.at)),
        updated_at: meta.at,
      },
    PostEdited: ({ data, meta }, row) => {
      if (!row || data.number !== 0) return row;
      return { ...row, title: data.title ?? row.title, excerpt: excerptOf(data.body), updated_at: meta.at };
    },
    PostDeleted: ({ data, meta }, row) => {
      if (!row) return null;
      // One that was hidden stays so: who wrote it does not bring its replies back.
      if (data.number === 0)
        return {
          ...row,
          status: row.status === 'hidden' ? 'hidden' : 'deleted',
          title: '',
          excerpt: '',
          updated_at: meta.at,
        };
      const wasHidden = row.hidden_numbers.includes(data.number);
      return {
        ...row,
        reply_count: row.reply_count - (wasHidden ? 0 : 1),
        hidden_numbers: without(row, data.number),
        updated_at: meta.at,
      };
    },
    PostHidden: ({ data, meta }, row) => {
      if (!row) return null;
      if (data.number === 0) return { ...row, status: 'hidden', updated_at: meta.at };
      return {
        ...row,
        reply_count: row.reply_count - 1,
        hidden_numbers: [...row.hidden_numbers, data.number],
        updated_at: meta.at,
      };
    },
    PostRestored: ({ data, meta }, row) => {
      if (!row) return null;
      if (data.number === 0) return { ...row, status: 'visible', updated_at: meta.at };
      return {
        ...row,
        reply_count: row.reply_count + 1,
        hidden_numbers: without(row, data.number),
        updated_at: meta.at,
      };
    },
    ThreadLocked: ({ meta }, row) => row && { ...row, is_locked: true, updated_at: meta.at },
    ThreadUnlocked: ({ meta }, row) => row && { ...row, is_locked: false, updated_at: meta.at },
    ThreadPinned: ({ meta }, row) => row && { ...row, is_pinned: true, updated_at: meta.at },
    ThreadUnpinned: ({ meta }, row) => row && { ...row, is_pinned: false, updated_at: meta.at },
    ThreadMoved: ({ data: { country, state, city }, meta }, row) =>
      row && { ...row, country, state, city, updated_at: meta.at },
  } satisfies {
    readonly [Type in ThreadEvent['type']]: (
      event: Recorded<Extract<ThreadEvent, { readonly type: Type }>>,
      row: CommunityThreadRow | null,
    ) => CommunityThreadRow | null;
  },
});

function excerptOf(body: string): string {
  return beginningOf(renderMarkdown(body, 'post').text, EXCERPT_MAX);
}

function without({ hidden_numbers }: CommunityThreadRow, number: number): readonly number[] {
  return hidden_numbers.filter((one) => one !== number);
}

function weightOf(at: string): number {
  return (Date.parse(at) - ACTIVITY_EPOCH_ms) / ACTIVITY_DECAY_ms;
}

/** log(exp(a) + exp(b)), without the large numbers in between. */
function sumOf(a: number, b: number): number {
  const most = Math.max(a, b);
  return most + Math.log1p(Math.exp(Math.min(a, b) - most));
}
