import * as z from 'zod/mini';
import { defineEvent, type EventFromDefinition } from '../event-definition.ts';
import { logged } from '../event-policies.ts';

const ids = {
  /** The media id of the picture, or another id if only its hash is known. */
  pictureId: z.string(),
  /** The id of the moderation case or of the request that takes the picture down. */
  reference: z.string(),
};

export const takenDownEvents = [
  /**
   * A picture or video was taken down, so copies of it must not be published. `hash` is the perceptual hash of the
   * whole picture. `digests` are the exact digests of its files, which earlier versions did not compute. A second event
   * of the same reference adds digests. No erasure of its uploader removes them, because they protect another person.
   */
  defineEvent('PictureTakenDown', {
    version: 1,
    ...logged,
    schema: z.object({ ...ids, hash: z.string(), digests: z.optional(z.array(z.string())) }),
  }),
  /** A case or request no longer takes a picture down. Copies may be published if no other one does. */
  defineEvent('PictureReleased', { version: 1, ...logged, schema: z.object(ids) }),
] as const;
export type TakenDownEvent = EventFromDefinition<(typeof takenDownEvents)[number]>;
