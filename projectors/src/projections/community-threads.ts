import { truncateText, createThreadCode, type RecordedDomainEvent, type ThreadEvent } from '@alpenglow/domain';
import { COMMUNITY_PLACES, COMMUNITY_THREADS, renderMarkdown, type JsonRowOf } from '@alpenglow/infra';
import { defineProjection, type Tally } from '../projection.ts';

export type CommunityThreadRow = JsonRowOf<typeof COMMUNITY_THREADS>;

const EXCERPT_MAX = 300;
/** The age at which a post has about a third of the weight of a new post. */
const ACTIVITY_DECAY_ms = 3 * 24 * 60 * 60_000;
const ACTIVITY_EPOCH_ms = Date.UTC(2026, 0, 1);

const communityPlaces: Tally<CommunityThreadRow> = {
  name: COMMUNITY_PLACES.name,
  columns: ['country', 'state', 'city', 'status'],
  keysOf: ({ country, state, city, status }) =>
    status === 'visible' ? [country, `${country}/${state}`, `${country}/${state}/${city}`] : [],
};

export const communityThreads = defineProjection(COMMUNITY_THREADS)({
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
      code: createThreadCode(data.threadId),
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
      activity: activityWeight(meta.at),
      updated_at: meta.at,
    }),
    ReplyPosted: ({ data, meta }, row) =>
      row && {
        ...row,
        reply_count: row.reply_count + 1,
        last_number: data.number,
        last_post_at: meta.at,
        last_account_id: data.accountId,
        activity: logSumExp(row.activity, activityWeight(meta.at)),
        updated_at: meta.at,
      },
    PostEdited: ({ data, meta }, row) => {
      if (!row || data.number !== 0) return row;
      return { ...row, title: data.title ?? row.title, excerpt: excerptOf(data.body), updated_at: meta.at };
    },
    PostDeleted: ({ data, meta }, row) => {
      if (!row) return null;
      // A hidden thread stays hidden, so that its author cannot show its replies again by deleting the opening post.
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
        hidden_numbers: withoutHiddenNumber(row, data.number),
        updated_at: meta.at,
      };
    },
    PostHidden: ({ data, meta }, row) => {
      if (!row) return null;
      if (data.number === 0) return { ...row, status: 'hidden', updated_at: meta.at };
      const hidden_numbers = [...row.hidden_numbers, data.number];
      return { ...row, reply_count: row.reply_count - 1, hidden_numbers, updated_at: meta.at };
    },
    PostRestored: ({ data, meta }, row) => {
      if (!row) return null;
      if (data.number === 0) return { ...row, status: 'visible', updated_at: meta.at };
      const hidden_numbers = withoutHiddenNumber(row, data.number);
      return { ...row, reply_count: row.reply_count + 1, hidden_numbers, updated_at: meta.at };
    },
    ThreadLocked: ({ meta }, row) => row && { ...row, is_locked: true, updated_at: meta.at },
    ThreadUnlocked: ({ meta }, row) => row && { ...row, is_locked: false, updated_at: meta.at },
    ThreadPinned: ({ meta }, row) => row && { ...row, is_pinned: true, updated_at: meta.at },
    ThreadUnpinned: ({ meta }, row) => row && { ...row, is_pinned: false, updated_at: meta.at },
    ThreadMoved: ({ data: { country, state, city }, meta }, row) =>
      row && { ...row, country, state, city, updated_at: meta.at },
  } satisfies {
    readonly [Type in ThreadEvent['type']]: (
      event: RecordedDomainEvent<Extract<ThreadEvent, { readonly type: Type }>>,
      row: CommunityThreadRow | null,
    ) => CommunityThreadRow | null;
  },
});

function excerptOf(body: string): string {
  return truncateText(renderMarkdown(body, 'post').text, EXCERPT_MAX);
}

function withoutHiddenNumber({ hidden_numbers }: CommunityThreadRow, number: number): readonly number[] {
  return hidden_numbers.filter((hidden) => hidden !== number);
}

/** Returns the logarithm of the weight of a post that was written at time `at`. */
function activityWeight(at: string): number {
  return (Date.parse(at) - ACTIVITY_EPOCH_ms) / ACTIVITY_DECAY_ms;
}

/**
 * Returns log(exp(a) + exp(b)). The function does not compute exp(a) and exp(b), because they may exceed the largest
 * number.
 */
function logSumExp(a: number, b: number): number {
  const max = Math.max(a, b);
  return max + Math.log1p(Math.exp(Math.min(a, b) - max));
}
