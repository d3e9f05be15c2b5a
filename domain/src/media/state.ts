import type { Aggregate } from '../aggregate.ts';
import { mediaEvents, type MediaEvent } from './events.ts';
import type { MediaKind } from './fields.ts';

interface MediaBase<Kind extends MediaKind> {
  readonly mediaId: string;
  readonly ownerId: string;
  readonly kind: Kind;
}

type UnavailableMedia<Kind extends MediaKind> = MediaBase<Kind> &
  (
    | { readonly status: 'processing'; readonly contentType: string }
    | { readonly status: 'rejected'; readonly code: string; readonly reason: string }
    | { readonly status: 'removed' }
  );

/** An uploaded photo with its status. Only a photo with the status `ready` can be shown. */
export type PhotoRecord =
  | UnavailableMedia<'photo'>
  | (MediaBase<'photo'> & {
      readonly status: 'ready';
      readonly width: number;
      readonly height: number;
      readonly blur: string | null;
    });

/** An uploaded video with its status. Only a video with the status `ready` can be played. */
export type VideoRecord =
  | UnavailableMedia<'video'>
  | (MediaBase<'video'> & {
      readonly status: 'ready';
      readonly width: number;
      readonly height: number;
      readonly duration_s: number;
      readonly contentType: string;
    });

export type MediaRecord = PhotoRecord | VideoRecord;

/** State of an uploaded photo or video. Null before the upload. */
export type MediaState = MediaRecord | null;

function evolve(state: MediaState, event: MediaEvent): MediaState {
  const { mediaId, ownerId } = event.data;
  switch (event.type) {
    case 'MediaUploaded':
      return { mediaId, ownerId, kind: event.data.kind, status: 'processing', contentType: event.data.contentType };
    case 'PhotoVariantsMade': {
      const { width, height, blur } = event.data;
      return state && { mediaId, ownerId, kind: 'photo', status: 'ready', width, height, blur };
    }
    case 'VideoProbed': {
      const { width, height, duration_s, contentType } = event.data;
      return state && { mediaId, ownerId, kind: 'video', status: 'ready', width, height, duration_s, contentType };
    }
    case 'MediaRejected': {
      const { code, reason } = event.data;
      return state && { mediaId, ownerId, kind: state.kind, status: 'rejected', code, reason };
    }
    case 'MediaRemoved':
      return state && { mediaId, ownerId, kind: state.kind, status: 'removed' };
  }
}

export const media: Aggregate<MediaState, MediaEvent> = {
  name: 'media',
  initial: null,
  evolve,
  eventDefinitions: mediaEvents,
};
