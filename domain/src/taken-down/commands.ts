export interface TakePictureDown {
  /** The media id of the picture, or another id if only its hash is known. */
  readonly pictureId: string;
  /** The perceptual hash of the whole picture. `NO_PICTURE_FEATURES` for a video. */
  readonly hash: string;
  /** The exact digests of its files. */
  readonly digests?: readonly string[];
  /** The id of the moderation case or of the request. It contains no personal data. */
  readonly reference: string;
}

export type ReleasePicture = Pick<TakePictureDown, 'reference'>;
