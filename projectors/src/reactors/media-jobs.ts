import type { Reactor } from './run-reactor.ts';

/**
 * Creates a job for every uploaded photo or video. The job for a photo creates variants of the photo, e.g. smaller
 * copies. The job for a video checks the file.
 */
export const mediaJobs: Reactor = {
  name: 'reactor-media-jobs',
  on: {
    MediaUploaded: ({ data: { mediaId, kind } }) => ({
      kind: kind === 'photo' ? 'photo-variants' : 'video-probe',
      payload: { mediaId },
    }),
  },
};
