import type { Aggregate } from '../aggregate.ts';
import { uniteDigests } from '../media/picture-digest.ts';
import { takenDownEvents, type TakenDownEvent } from './events.ts';

/** A picture or video that was taken down at least once. Null before. */
export type TakenDownState = {
  readonly pictureId: string;
  readonly hash: string;
  /** The exact digests of its files. Missing if none is known. */
  readonly digests?: readonly string[];
  /** The cases and requests that take the picture down. Without any, copies of it may be published. */
  readonly references: readonly string[];
} | null;

function evolve(state: TakenDownState, event: TakenDownEvent): TakenDownState {
  const { pictureId, reference } = event.data;
  switch (event.type) {
    case 'PictureTakenDown': {
      const { hash } = event.data;
      const references = [...new Set([...(state?.references ?? []), reference])];
      const digests = uniteDigests(state?.digests, event.data.digests);
      return { pictureId, hash, ...(digests.length > 0 && { digests }), references };
    }
    case 'PictureReleased':
      return state && { ...state, references: state.references.filter((known) => known !== reference) };
  }
}

export const takenDownPicture: Aggregate<TakenDownState, TakenDownEvent> = {
  name: 'taken-down',
  initial: null,
  evolve,
  eventDefinitions: takenDownEvents,
};
