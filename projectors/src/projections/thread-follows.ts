import type { FollowMail } from '@alpenglow/domain';
import { defineProjection } from '../projection.ts';

/** Who follows which thread, and how they are mailed of it. */
export type ThreadFollowRow = {
  /** Account and thread, with a slash between. */
  readonly follow_id: string;
  readonly account_id: string;
  readonly thread_id: string;
  readonly mail: FollowMail;
  readonly followed_at: string;
};

export const threadFollows = defineProjection<ThreadFollowRow>({
  name: 'thread_follows',
  version: 1,
  columns: {
    follow_id: 'text primary key',
    account_id: 'text not null',
    thread_id: 'text not null',
    mail: 'text not null',
    followed_at: 'timestamptz not null',
  },
  indexes: (table) => [
    `create index on ${table} (account_id, followed_at desc)`,
    `create index on ${table} (thread_id, account_id) where mail = 'instant'`,
    `create index on ${table} (account_id) where mail = 'daily'`,
  ],
  keyOf: ({ data }) => ('threadId' in data && 'accountId' in data ? `${data.accountId}/${data.threadId}` : null),
  on: {
    ThreadFollowed: ({ data: { accountId, threadId, mail }, meta }, row) => ({
      follow_id: `${accountId}/${threadId}`,
      account_id: accountId,
      thread_id: threadId,
      mail,
      followed_at: row?.followed_at ?? meta.at,
    }),
    ThreadUnfollowed: () => null,
  },
});
