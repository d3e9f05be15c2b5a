import { toPostId } from '@alpenglow/domain';
import { HELPFUL_MARKS } from '@alpenglow/infra';
import { defineProjection } from '../projection.ts';

export const helpfulMarks = defineProjection(HELPFUL_MARKS)({
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
