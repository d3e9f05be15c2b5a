import { isStockPicture, REMOVED_MESSAGES, type MediaKind, type PhotoView } from '@alpenglow/domain';
import { MODERATION_CASES } from '@alpenglow/infra';

const holdingCase = (id: string) => `${MODERATION_CASES.table} h where h.case_id = 'media-' || ${id} and h.is_holding`;

/**
 * Returns the SQL expression for the `hold` of a photo or video, which is the effect of a moderation case about it
 * . Its owner may view a `hidden` file, but not a `removed` one. Visitors can load neither. The value is null
 * if no moderation case hides the file. `id` is an SQL expression for the media id.
 */
export const holdOf = (id: string) => `(
  select case h.decision->>'outcome' when 'hidden' then 'hidden' else 'removed' end from ${holdingCase(id)})`;

/** Returns the SQL condition that a moderation case hides the photo or video with the media id `id`. */
export const isHeld = (id: string) => `exists (select from ${holdingCase(id)})`;

/** The properties of a photo or video in a response, without its address. */
export type HoldableMedia = Omit<PhotoView, 'id' | 'url'>;

/**
 * Returns the properties of a photo or video for visitors or for its owner. A file that they must not see is rejected
 * and has no preview.
 */
export function applyHold<Media extends HoldableMedia>(media: Media, kind: MediaKind, isOwner: boolean): Media {
  return media.hold === 'removed' || (media.hold === 'hidden' && !isOwner)
    ? { ...media, status: 'rejected', reason: REMOVED_MESSAGES[kind], width: 0, height: 0, blur: null }
    : media;
}

/**
 * Returns the properties of a photo or video that the read model does not contain. It was removed, and its row with
 * it, because nothing about it may remain after an erasure. A file without a row is not public, so its URL is in no
 * response. A stock picture is an exception: a new installation stores it after the ads that show it.
 */
export function createUnknownMedia(mediaId: string): HoldableMedia {
  const isStock = isStockPicture(mediaId);
  return {
    status: isStock ? 'processing' : 'rejected',
    reason: null,
    width: 0,
    height: 0,
    blur: null,
    hold: isStock ? null : 'removed',
  };
}
