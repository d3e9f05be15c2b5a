import { DomainError, errorMessage } from '../errors.ts';
import type { RecordPhotoVariants, RecordVideoProbe, RejectMedia, UploadMedia } from './commands.ts';
import type { MediaEvent } from './events.ts';
import { MEDIA_RULES } from './fields.ts';
import type { MediaState } from './state.ts';

/**
 * Takes in a photo or video whose bytes have arrived whole. The same upload twice is one upload. Specification, section 5, "Photos" and "Video".
 * Refuses with NO_PHOTO or NO_VIDEO (nothing in it), NOT_AN_IMAGE or NOT_A_VIDEO, IMAGE_TOO_LARGE or VIDEO_TOO_LARGE, CONFLICT (the id is taken).
 */
export function uploadMedia(command: UploadMedia, state: MediaState): readonly MediaEvent[] {
  const { mediaId, ownerId, kind, sizeBytes, contentType } = command;
  const rules = MEDIA_RULES[kind];
  if (sizeBytes <= 0) throw new DomainError(rules.missing);
  if (!rules.contentTypes.includes(contentType)) throw new DomainError(rules.wrongType);
  if (sizeBytes > rules.maxBytes) throw new DomainError(rules.tooLarge);
  if (state && (state.ownerId !== ownerId || state.kind !== kind)) throw new DomainError('CONFLICT');
  if (state) return [];
  return [{ type: 'MediaUploaded', data: { mediaId, ownerId, kind, sizeBytes, contentType } }];
}

/**
 * Declares a photo fit to be shown. A verdict is final: a job that runs twice, or after a removal, changes nothing.
 * Refuses with NOT_FOUND when no photo was uploaded.
 */
export function recordPhotoVariants(command: RecordPhotoVariants, state: MediaState): readonly MediaEvent[] {
  if (state?.kind !== 'photo') throw new DomainError('NOT_FOUND');
  if (state.status !== 'processing') return [];
  const { width, height, blur, hash, variants } = command;
  const { mediaId, ownerId } = state;
  return [
    { type: 'PhotoVariantsMade', data: { mediaId, ownerId, width, height, blur, hash, variants: [...variants] } },
  ];
}

/**
 * Declares a video fit to be played. A verdict is final, as above.
 * Refuses with NOT_FOUND when no video was uploaded.
 */
export function recordVideoProbe(command: RecordVideoProbe, state: MediaState): readonly MediaEvent[] {
  if (state?.kind !== 'video') throw new DomainError('NOT_FOUND');
  if (state.status !== 'processing') return [];
  const { duration_s, width, height, codec, sizeBytes } = command;
  const { mediaId, ownerId, contentType } = state;
  return [
    { type: 'VideoProbed', data: { mediaId, ownerId, duration_s, width, height, codec, contentType, sizeBytes } },
  ];
}

/**
 * Declares a file unfit, with the catalogue's words as the reason its owner reads. A verdict is final, as above; only of a picture that is known to be
 * illegal it is said all the same when its uploader has taken it back meanwhile. Refuses with NOT_FOUND when nothing was uploaded.
 */
export function rejectMedia(command: RejectMedia, state: MediaState): readonly MediaEvent[] {
  if (!state) throw new DomainError('NOT_FOUND');
  if (state.status !== 'processing' && !(state.status === 'removed' && command.code === 'PHOTO_NOT_USABLE')) return [];
  const { mediaId, ownerId } = state;
  return [
    { type: 'MediaRejected', data: { mediaId, ownerId, code: command.code, reason: errorMessage(command.code) } },
  ];
}

/** Takes a photo or video away for good. Removing it twice, or what never was, changes nothing. */
export function removeMedia(state: MediaState): readonly MediaEvent[] {
  if (!state || state.status === 'removed') return [];
  const { mediaId, ownerId } = state;
  return [{ type: 'MediaRemoved', data: { mediaId, ownerId } }];
}
