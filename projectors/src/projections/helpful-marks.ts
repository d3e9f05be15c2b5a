import { postIdOf } from '@alpenglow/domain';
import { defineProjection } from '../projection.ts';

/** Who found which post helpful: only there so that they are shown their own marks. */
export type HelpfulMarkRow = {
  /** Account and post, with a slash between. */
  readonly mark_id: string;
};

export const helpfulMarks = defineProjection<HelpfulMarkRow>({
  name: 'helpful_marks',
  version: 1,
  columns: { mark_id: 'text primary key' },
  indexes: () => [],
  keyOf: ({ data }) =>
    'accountId' in data && 'threadId' in data && 'number' in data
      ? `${data.accountId}/${postIdOf(data.threadId, data.number)}`
      : null,
  on: {
    PostMarkedHelpful: ({ data }) => ({ mark_id: `${data.accountId}/${postIdOf(data.threadId, data.number)}` }),
    PostUnmarkedHelpful: () => null,
  },
});
