import type { Aggregate } from '../aggregate.ts';
import type { RegisteredAccount } from '../account/state.ts';
import { mediaEvents, type MediaEvent } from './events.ts';
import type { MediaKind } from './fields.ts';
import { comparableHash } from './picture-hash.ts';

interface MediaBase<Kind extends MediaKind> {
  readonly mediaId: string;
  readonly ownerId: string;
  readonly kind: Kind;
  /** Time of the upload in ISO 8601. */
  readonly uploadedAt: string;
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
      /** The perceptual hash. Null for photos of earlier versions, until `PhotoHashed`. */
      readonly hash: string | null;
      /** The exact digests. Missing for photos of earlier versions. */
      readonly digests?: readonly string[];
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
      readonly shortened_s: number;
      /** The exact digests. Missing for videos of earlier versions. */
      readonly digests?: readonly string[];
    });

export type MediaRecord = PhotoRecord | VideoRecord;

/** State of an uploaded photo or video. Null before the upload. */
export type MediaState = MediaRecord | null;

function evolve(state: MediaState, event: MediaEvent, at: string): MediaState {
  if (event.type === 'MediaUploaded') {
    const { mediaId, ownerId, kind, contentType } = event.data;
    return { mediaId, ownerId, kind, uploadedAt: at, status: 'processing', contentType };
  }
  if (!state) return null;
  const { mediaId, ownerId, kind, uploadedAt } = state;
  const base = { mediaId, ownerId, uploadedAt };
  switch (event.type) {
    case 'PhotoVariantsMade': {
      const { width, height, blur, hash, digests } = event.data;
      const exact = digests && { digests };
      return { ...base, kind: 'photo', status: 'ready', width, height, blur, hash: comparableHash(hash), ...exact };
    }
    case 'PhotoHashed':
      return state.kind === 'photo' && state.status === 'ready' ? { ...state, hash: event.data.hash } : state;
    case 'VideoProbed': {
      const { width, height, duration_s, contentType, shortened_s, digests } = event.data;
      const properties = { width, height, duration_s, contentType, shortened_s, ...(digests && { digests }) };
      return { ...base, kind: 'video', status: 'ready', ...properties };
    }
    case 'MediaRejected': {
      const { code, reason } = event.data;
      return { ...base, kind, status: 'rejected', code, reason };
    }
    case 'MediaRemoved':
      return { ...base, kind, status: 'removed' };
  }
}

/**
 * Checks whether the account has uploaded the file. After an account is closed, a new account with the same
 * e-mail address has the same id. The files of the closed account do not belong to the new account.
 */
export function isUploadedBy(
  { ownerId, uploadedAt }: Pick<MediaRecord, 'ownerId' | 'uploadedAt'>,
  { accountId, registeredAt }: Pick<RegisteredAccount, 'accountId' | 'registeredAt'>,
): boolean {
  return ownerId === accountId && uploadedAt >= registeredAt;
}

export const media: Aggregate<MediaState, MediaEvent> = {
  name: 'media',
  initial: null,
  evolve,
  eventDefinitions: mediaEvents,
};
