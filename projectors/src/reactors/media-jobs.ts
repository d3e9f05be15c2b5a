import type { Reactor } from '../run-reactor.ts';

/** Has the variants of every uploaded photo made. */
export const mediaJobs: Reactor = {
  name: 'reactor-media-jobs',
  on: {
    MediaUploaded: ({ data }) => ({ kind: 'photo-variants', payload: { mediaId: data.mediaId } }),
  },
};
