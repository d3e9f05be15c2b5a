import type { Reactor } from './run-reactor.ts';

/**
 * Creates a job for every uploaded photo or video. The job for a photo creates variants of the photo, e.g. smaller
 * copies. The job for a video checks the file. Accounts take turns, so that many large photos of one account do not
 * delay the uploads of others (decision 0012).
 */
export const mediaJobs: Reactor = {
  name: 'reactor-media-jobs',
  on: {
    MediaUploaded: ({ data: { mediaId, kind, ownerId } }) => ({
      kind: kind === 'photo' ? 'photo-variants' : 'video-probe',
      payload: { mediaId },
      accountId: ownerId,
    }),
  },
};
