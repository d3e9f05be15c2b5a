import type { Decider } from '../aggregate.ts';
import type { ReleasePicture, TakePictureDown } from './commands.ts';
import type { TakenDownEvent } from './events.ts';
import type { TakenDownState } from './state.ts';

/**
 * Takes a picture or video down for a case or request, so that copies of it are not published. Does nothing
 * if the case or request has done so with all of the digests.
 */
export const takePictureDown: Decider<TakePictureDown, TakenDownState, TakenDownEvent> = (command, state) => {
  const { pictureId, hash, digests, reference } = command;
  const isNew = (digest: string) => state?.digests?.includes(digest) !== true;
  if (state?.references.includes(reference) && digests?.some(isNew) !== true) return [];
  const exact = digests && { digests: [...digests] };
  return [{ type: 'PictureTakenDown', data: { pictureId, reference, hash, ...exact } }];
};

/** Ends the effect of a case or request on a picture, because its decision was reversed. Idempotent. */
export const releasePicture: Decider<ReleasePicture, TakenDownState, TakenDownEvent> = ({ reference }, state) => {
  if (!state?.references.includes(reference)) return [];
  return [{ type: 'PictureReleased', data: { pictureId: state.pictureId, reference } }];
};
