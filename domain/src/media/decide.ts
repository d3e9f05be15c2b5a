import { MAX_FILE_bytes } from '../constants.ts';
import { DomainError, errorMessage } from '../errors.ts';
import type { RecordPhotoVariants, RejectMedia, UploadMedia } from './commands.ts';
import type { MediaEvent } from './events.ts';
import { isPhotoContentType } from './fields.ts';
import type { MediaState } from './state.ts';

/**
 * Takes in a photo whose bytes have arrived whole. The same upload twice is one upload. Specification, section 5, "Photos".
 * Refuses with NO_PHOTO (nothing in it), NOT_AN_IMAGE, IMAGE_TOO_LARGE, CONFLICT (the id is somebody else's).
 */
export function uploadMedia(command: UploadMedia, state: MediaState): readonly MediaEvent[] {
  const { mediaId, ownerId, sizeBytes, contentType } = command;
  if (sizeBytes <= 0) throw new DomainError('NO_PHOTO');
  if (!isPhotoContentType(contentType)) throw new DomainError('NOT_AN_IMAGE');
  if (sizeBytes > MAX_FILE_bytes) throw new DomainError('IMAGE_TOO_LARGE');
  if (state && state.ownerId !== ownerId) throw new DomainError('CONFLICT');
  if (state) return [];
  return [{ type: 'MediaUploaded', data: { mediaId, ownerId, kind: 'photo', sizeBytes, contentType } }];
}

/**
 * Declares a photo fit to be shown. A verdict is final: a job that runs twice, or after a removal, changes nothing.
 * Refuses with NOT_FOUND when nothing was uploaded.
 */
export function recordPhotoVariants(command: RecordPhotoVariants, state: MediaState): readonly MediaEvent[] {
  if (!state) throw new DomainError('NOT_FOUND');
  if (state.status !== 'processing') return [];
  const { width, height, blur, variants } = command;
  const { mediaId, ownerId } = state;
  return [{ type: 'PhotoVariantsMade', data: { mediaId, ownerId, width, height, blur, variants: [...variants] } }];
}

/**
 * Declares a file unfit, with the catalogue's words as the reason its owner reads. A verdict is final, as above.
 * Refuses with NOT_FOUND when nothing was uploaded.
 */
export function rejectMedia(command: RejectMedia, state: MediaState): readonly MediaEvent[] {
  if (!state) throw new DomainError('NOT_FOUND');
  if (state.status !== 'processing') return [];
  const { mediaId, ownerId } = state;
  return [{ type: 'MediaRejected', data: { mediaId, ownerId, code: command.code, reason: errorMessage(command.code) } }];
}

/** Takes a photo away for good. Removing it twice, or what never was, changes nothing. */
export function removeMedia(state: MediaState): readonly MediaEvent[] {
  if (!state || state.status === 'removed') return [];
  const { mediaId, ownerId } = state;
  return [{ type: 'MediaRemoved', data: { mediaId, ownerId } }];
}
