import { THREAD_FOLLOWS } from '@alpenglow/infra';
import { defineProjection } from '../projection.ts';

export const threadFollows = defineProjection(THREAD_FOLLOWS)({
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
