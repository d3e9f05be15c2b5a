import type { Reactor } from '../run-reactor.ts';

/** Has the variants of every uploaded photo made, and every uploaded video probed. */
export const mediaJobs: Reactor = {
  name: 'reactor-media-jobs',
  on: {
    MediaUploaded: ({ data: { mediaId, kind } }) => ({
      kind: kind === 'photo' ? 'photo-variants' : 'video-probe',
      payload: { mediaId },
    }),
  },
};
