import type { Aggregate } from '../aggregate.ts';
import { mediaEvents, type MediaEvent } from './events.ts';

interface Known {
  readonly mediaId: string;
  readonly ownerId: string;
}

/** One photo from upload to verdict. */
export type KnownMedia =
  | (Known & { readonly status: 'processing' })
  | (Known & { readonly status: 'ready'; readonly width: number; readonly height: number; readonly blur: string | null })
  | (Known & { readonly status: 'rejected'; readonly code: string; readonly reason: string })
  | (Known & { readonly status: 'removed' });

/** Null until something was uploaded under this id. */
export type MediaState = KnownMedia | null;

function evolve(state: MediaState, event: MediaEvent): MediaState {
  const { mediaId, ownerId } = event.data;
  switch (event.type) {
    case 'MediaUploaded':
      return { mediaId, ownerId, status: 'processing' };
    case 'PhotoVariantsMade': {
      const { width, height, blur } = event.data;
      return state && { mediaId, ownerId, status: 'ready', width, height, blur };
    }
    case 'MediaRejected': {
      const { code, reason } = event.data;
      return state && { mediaId, ownerId, status: 'rejected', code, reason };
    }
    case 'MediaRemoved':
      return state && { mediaId, ownerId, status: 'removed' };
  }
}

export const media: Aggregate<MediaState, MediaEvent> = { name: 'media', initial: null, evolve, definitions: mediaEvents };
