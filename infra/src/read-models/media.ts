import type { MediaKind } from '@alpenglow/domain';
import { defineReadModel, required } from './define-read-model.ts';

/** The state of each uploaded photo and video. */
export const MEDIA_ITEMS = defineReadModel({ name: 'media_items', version: 7, isShardable: true })({
  media_id: 'text primary key',
  owner_id: 'text not null',
  kind: required<MediaKind>('text'),
  uploaded_at: 'timestamptz not null',
  /** The id of the `MediaUploaded` event. The job that processes the upload has the same id. */
  upload_event_id: 'text not null',
  status: required<'processing' | 'ready' | 'rejected'>('text'),
  reason: 'text',
  width: 'integer not null',
  height: 'integer not null',
  blur: 'text',
  /**
   * The perceptual hash of a photo. Photos that look alike have similar hashes. Null if the hash is unknown, and for
   * videos.
   */
  hash: 'text',
  /** The keys of the hash, by which similar photos are found (`storedKeysOf`). */
  hash_keys: required<readonly string[]>('jsonb'),
  /** The exact digests of the uploaded file (`picture-digest.ts`). Empty if they are unknown. */
  digests: required<readonly string[]>('jsonb'),
  /** The duration of a video in seconds. 0 for a video that is not ready, and for a photo. */
  duration_s: 'double precision not null',
  /**
   * The content type of the video file that visitors receive. Null until the video is ready. Always null for a photo,
   * because its variants have several types.
   */
  content_type: 'text',
  /** Seconds that players show of an uploaded video, but that are missing in the video. 0 for a photo. */
  shortened_s: 'double precision not null',
});

/** The pictures and videos of which no copy may be published. */
export const TAKEN_DOWN_PICTURES = defineReadModel({ name: 'taken_down_pictures', version: 2 })({
  picture_id: 'text primary key',
  /** The cases and requests that take the picture down. */
  refs: required<readonly string[]>('jsonb'),
  /** The time since which at least one of them does, or when it got its last digest: its copies are searched then. */
  taken_down_at: 'timestamptz not null',
  hash: 'text not null',
  /** The keys of the hash, by which similar pictures are found (`storedKeysOf`). */
  hash_keys: required<readonly string[]>('jsonb'),
  /** The exact digests of its files. */
  digests: required<readonly string[]>('jsonb'),
});
