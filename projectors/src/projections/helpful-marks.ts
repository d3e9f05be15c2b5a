import { toPostId } from '@alpenglow/domain';
import { declaredReadModel } from '@alpenglow/infra';
import { defineProjection, type RowOf } from '../projection.ts';

const columns = {
  /** The account id and the post id, separated by a slash. */
  mark_id: 'text primary key',
  marked_at: 'timestamptz not null',
} as const;

/**
 * One row for each post that an account has marked as helpful. The rows are used only to show users their own marks.
 */
export const helpfulMarks = defineProjection<RowOf<typeof columns>>({
  ...declaredReadModel('helpful_marks'),
  columns,
  keyOf: ({ data }) =>
    'accountId' in data && 'threadId' in data && 'number' in data
      ? `${data.accountId}/${toPostId(data.threadId, data.number)}`
      : null,
  on: {
    PostMarkedHelpful: ({ data, meta }) => ({
      mark_id: `${data.accountId}/${toPostId(data.threadId, data.number)}`,
      marked_at: meta.at,
    }),
    PostUnmarkedHelpful: () => null,
  },
});
