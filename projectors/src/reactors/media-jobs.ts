import type { Reactor } from '../run-reactor.ts';

/** Creates a job for every upload. The job of a photo creates its variants, and the job of a video checks the file. */
export const mediaJobs: Reactor = {
  name: 'reactor-media-jobs',
  on: {
    MediaUploaded: ({ data: { mediaId, kind } }) => ({
      kind: kind === 'photo' ? 'photo-variants' : 'video-probe',
      payload: { mediaId },
    }),
  },
};
