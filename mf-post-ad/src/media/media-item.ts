import {
  parsePhotoUrl,
  parseVideoUrl,
  SMALL_PHOTO_px,
  type PhotoView,
  type VideoView,
} from '@alpenglow/domain/contracts';

export type MediaKind = 'photo' | 'video';

/** One photo or video in the form. */
export interface MediaItem {
  readonly key: string;
  readonly kind: MediaKind;
  readonly name: string;
  readonly url: string | null;
  /** The server's data about the uploaded file. It is null before the upload. */
  readonly view: PhotoView | VideoView | null;
  readonly preview: string | null;
  /** True if the item was part of the ad before the ad was edited. */
  readonly isExisting: boolean;
  readonly state: 'waiting' | 'uploading' | 'done' | 'failed' | 'cancelled';
  readonly progress: number;
  /** True while the upload waits until the server can be reached again. */
  readonly isWaiting: boolean;
  readonly problem: string | null;
  /** For a failed upload, true if sending the form repeats the upload. False if the server has rejected the file. */
  readonly mayPass: boolean;
  /** The duration of a video in seconds. It is null if this browser cannot read it. */
  readonly duration_s: number | null;
}

const DEFAULTS = {
  url: null,
  view: null,
  preview: null,
  isExisting: false,
  progress: 0,
  isWaiting: false,
  problem: null,
  mayPass: true,
  duration_s: null,
} as const;

/** Creates the item of a newly selected file, which waits for its upload. */
export function createItem(key: string, kind: MediaKind, name: string, preview: string): MediaItem {
  return { ...DEFAULTS, key, kind, name, preview, state: 'waiting' };
}

function uploadedItem(kind: MediaKind, view: PhotoView | VideoView, isExisting: boolean): MediaItem {
  const { id, url } = view;
  return { ...DEFAULTS, key: id, kind, name: id, url, view, isExisting, state: 'done', progress: 1 };
}

/** Creates the items for photos that are already on the server. */
export const toPhotoItems = (photos: readonly PhotoView[], isExisting: boolean) =>
  photos.map((photo) => uploadedItem('photo', photo, isExisting));
/** Creates the item for a video that is already on the server. */
export const toVideoItem = (video: VideoView | null, isExisting: boolean) =>
  video === null ? null : uploadedItem('video', video, isExisting);

const UNMEASURED = { status: 'ready', reason: null, hold: null, width: 0, height: 0 } as const;

/**
 * Returns a photo object for a URL in a draft. The size and other data have placeholder values, because a draft stores
 * only the URL. Returns null if the URL is not the URL of an upload.
 */
export function photoFromUrl(url: string): PhotoView | null {
  const id = parsePhotoUrl(url);
  return id === null ? null : { ...UNMEASURED, id, url, blur: null };
}

/**
 * Returns a video object for a URL in a draft. The size and other data have placeholder values, because a draft stores
 * only the URL. Returns null if the URL is not the URL of an upload.
 */
export function videoFromUrl(url: string): VideoView | null {
  const id = parseVideoUrl(url);
  return id === null ? null : { ...UNMEASURED, id, url, duration: 0, contentType: null, shortenedBy: 0 };
}

/** Returns the server's data of a photo. Returns null for a video, and before the upload. */
export const getPhoto = ({ kind, view }: MediaItem): PhotoView | null =>
  kind === 'photo' ? (view as PhotoView | null) : null;
export const getVideo = ({ kind, view }: MediaItem): VideoView | null =>
  kind === 'video' ? (view as VideoView | null) : null;

/**
 * Returns the size of a photo that looks blurred, because it has fewer pixels than the pages show. Returns
 * null for other photos, and while the size is not known.
 */
export function findSmallSize(item: MediaItem): { readonly width: number; readonly height: number } | null {
  const { status, width, height } = getPhoto(item) ?? { status: null, width: 0, height: 0 };
  const isSmall = status === 'ready' && width > 0 && Math.max(width, height) < SMALL_PHOTO_px;
  return isSmall ? { width, height } : null;
}

/** Returns true if the server has rejected the file, so that another upload of it cannot succeed. */
export const isRejected = ({ state, mayPass }: MediaItem): boolean => state === 'failed' && !mayPass;

/** Returns true if visitors will see the file, also if its upload has not ended. */
export const isShown = ({ state, view }: MediaItem): boolean =>
  state !== 'failed' && view?.status !== 'rejected' && view?.hold == null;

/** Returns true if moderation hides the file from visitors, but not from its owner. */
export const isHiddenByModeration = ({ view }: MediaItem): boolean => view?.hold === 'hidden';

/** Returns the photo that visitors see first. Null if they see none. */
export const findCover = (photos: readonly MediaItem[]): MediaItem | null => photos.find(isShown) ?? null;

export const isPending = ({ state }: MediaItem): boolean => state === 'waiting' || state === 'uploading';
