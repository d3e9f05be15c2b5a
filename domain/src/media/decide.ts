import type { Decider, EmptyCommand } from '../aggregate.ts';
import { DomainError, errorMessage } from '../error-catalogue.ts';
import type { RecordPhotoHash, RecordPhotoVariants, RecordVideoProbe, RejectMedia, UploadMedia } from './commands.ts';
import type { MediaEvent } from './events.ts';
import { MEDIA_RULES } from './fields.ts';
import type { MediaState } from './state.ts';

/**
 * Accepts a photo or video after all of its bytes have arrived. A repeated upload changes nothing.
 * Throws NO_PHOTO or NO_VIDEO for an empty file, and CONFLICT if another file already has the id. Throws NOT_AN_IMAGE
 * or NOT_A_VIDEO for a wrong content type, and IMAGE_TOO_LARGE or VIDEO_TOO_LARGE for a file that is too large.
 */
export const uploadMedia: Decider<UploadMedia, MediaState, MediaEvent> = (command, state) => {
  const { mediaId, ownerId, kind, sizeBytes, contentType } = command;
  const rules = MEDIA_RULES[kind];
  if (sizeBytes <= 0) throw new DomainError(rules.missingCode);
  if (!rules.contentTypes.includes(contentType)) throw new DomainError(rules.wrongTypeCode);
  if (sizeBytes > rules.maxBytes) throw new DomainError(rules.tooLargeCode);
  if (state && (state.ownerId !== ownerId || state.kind !== kind)) throw new DomainError('CONFLICT');
  if (state) return [];
  return [{ type: 'MediaUploaded', data: { mediaId, ownerId, kind, sizeBytes, contentType } }];
};

/**
 * Marks a photo as ready after its resized variants were created. Does nothing if the photo is already ready, rejected
 * or removed, so the background job may run twice. Throws NOT_FOUND if no photo was uploaded.
 */
export const recordPhotoVariants: Decider<RecordPhotoVariants, MediaState, MediaEvent> = (command, state) => {
  if (state?.kind !== 'photo') throw new DomainError('NOT_FOUND');
  if (state.status !== 'processing') return [];
  const { width, height, blur, hash, digests, variants } = command;
  const { mediaId, ownerId } = state;
  const exact = digests && { digests: [...digests] };
  const data = { mediaId, ownerId, width, height, blur, hash, ...exact, variants: [...variants] };
  return [{ type: 'PhotoVariantsMade', data }];
};

/**
 * Records the perceptual hash of a photo of an earlier version of the product. Does nothing if the photo has one, or is
 * not ready.
 */
export const recordPhotoHash: Decider<RecordPhotoHash, MediaState, MediaEvent> = ({ hash }, state) => {
  if (state?.kind !== 'photo' || state.status !== 'ready' || state.hash !== null) return [];
  const { mediaId, ownerId } = state;
  return [{ type: 'PhotoHashed', data: { mediaId, ownerId, hash } }];
};

/**
 * Marks a video as ready after it was checked. Does nothing if the video is already ready, rejected or removed, so the
 * background job may run twice. Throws NOT_FOUND if no video was uploaded.
 */
export const recordVideoProbe: Decider<RecordVideoProbe, MediaState, MediaEvent> = (command, state) => {
  if (state?.kind !== 'video') throw new DomainError('NOT_FOUND');
  if (state.status !== 'processing') return [];
  const { duration_s, width, height, codec, sizeBytes, shortened_s, digests } = command;
  const { mediaId, ownerId, contentType } = state;
  const exact = digests && { digests: [...digests] };
  return [
    {
      type: 'VideoProbed',
      data: { mediaId, ownerId, duration_s, width, height, codec, contentType, sizeBytes, shortened_s, ...exact },
    },
  ];
};

/**
 * Rejects an uploaded photo or video. The owner receives the message of the error code. Does nothing if the file is
 * already rejected. A ready or removed file is rejected only if it is a picture that is known to be illegal. Throws
 * NOT_FOUND if nothing was uploaded.
 */
export const rejectMedia: Decider<RejectMedia, MediaState, MediaEvent> = (command, state) => {
  if (!state) throw new DomainError('NOT_FOUND');
  const isIllegal = command.code === 'PHOTO_NOT_USABLE' && state.status !== 'rejected';
  if (state.status !== 'processing' && !isIllegal) return [];
  const { mediaId, ownerId } = state;
  return [
    { type: 'MediaRejected', data: { mediaId, ownerId, code: command.code, reason: errorMessage(command.code) } },
  ];
};

/** Removes a photo or video permanently. Idempotent. Does nothing if the file does not exist. */
export const removeMedia: Decider<EmptyCommand, MediaState, MediaEvent> = (_command, state) => {
  if (!state || state.status === 'removed') return [];
  const { mediaId, ownerId } = state;
  return [{ type: 'MediaRemoved', data: { mediaId, ownerId } }];
};
