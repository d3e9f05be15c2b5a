import type { FollowMailMode } from '@alpenglow/domain';
import { declaredReadModel } from '@alpenglow/infra';
import { defineProjection, type RowOf } from '../projection.ts';

const columns = {
  /** The account id and the thread id, separated by a slash. */
  follow_id: 'text primary key',
  account_id: 'text not null',
  thread_id: 'text not null',
  mail: 'text not null',
  followed_at: 'timestamptz not null',
} as const;

/** One row for each thread that an account follows. `mail` is how often the account receives mails about the thread. */
export const threadFollows = defineProjection<RowOf<typeof columns, { readonly mail: FollowMailMode }>>({
  ...declaredReadModel('thread_follows'),
  columns,
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
