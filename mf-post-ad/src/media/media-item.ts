import { mediaIdOf, videoIdOf, type PhotoView, type VideoView } from '@alpenglow/domain/contracts';

export type MediaKind = 'photo' | 'video';

/** One photo or video of the form (specification, section 3, "Uploaded media item"). */
export interface MediaItem {
  readonly key: string;
  readonly kind: MediaKind;
  readonly name: string;
  /** Where the server keeps it; null until it is sent. */
  readonly url: string | null;
  /** As the server knows it; null until it is sent. */
  readonly view: PhotoView | VideoView | null;
  /** A local preview, as an object URL. */
  readonly preview: string | null;
  /** It was on the ad before. */
  readonly isExisting: boolean;
  readonly state: 'waiting' | 'uploading' | 'done' | 'failed' | 'cancelled';
  /** Share sent, from 0 to 1. */
  readonly progress: number;
  /** Why it failed, in words; null otherwise. */
  readonly problem: string | null;
  /** Whether it is sent once more with the form: a refusal of this very file is final. */
  readonly mayPass: boolean;
  /** Seconds, of a video this browser can read; null otherwise. */
  readonly duration_s: number | null;
}

const BLANK = {
  url: null,
  view: null,
  preview: null,
  isExisting: false,
  progress: 0,
  problem: null,
  mayPass: true,
  duration_s: null,
} as const;

/** A file that was chosen just now. */
export function chosenItem(key: string, kind: MediaKind, name: string, preview: string): MediaItem {
  return { ...BLANK, key, kind, name, preview, state: 'waiting' };
}

function keptItem(kind: MediaKind, view: PhotoView | VideoView, isExisting: boolean): MediaItem {
  return { ...BLANK, key: view.id, kind, name: view.id, url: view.url, view, isExisting, state: 'done', progress: 1 };
}

/** Photos that are at the server already. */
export const photoItems = (photos: readonly PhotoView[], isExisting: boolean) =>
  photos.map((photo) => keptItem('photo', photo, isExisting));
/** A video that is at the server already. */
export const videoItem = (video: VideoView | null, isExisting: boolean) =>
  video === null ? null : keptItem('video', video, isExisting);

const UNMEASURED = { status: 'ready', reason: null, width: 0, height: 0 } as const;

/** A photo of a draft, of which only the address is left; null when it is none of ours. */
export function photoAt(url: string): PhotoView | null {
  const id = mediaIdOf(url);
  return id === null ? null : { ...UNMEASURED, id, url, blur: null };
}

/** As `photoAt`, for a video. */
export function videoAt(url: string): VideoView | null {
  const id = videoIdOf(url);
  return id === null ? null : { ...UNMEASURED, id, url, duration: 0, contentType: null };
}

/** Narrows what the server said of an item. */
export const photoOf = ({ kind, view }: MediaItem): PhotoView | null =>
  kind === 'photo' ? (view as PhotoView | null) : null;
export const videoOf = ({ kind, view }: MediaItem): VideoView | null =>
  kind === 'video' ? (view as VideoView | null) : null;

export const isUnderWay = ({ state }: MediaItem): boolean => state === 'waiting' || state === 'uploading';
