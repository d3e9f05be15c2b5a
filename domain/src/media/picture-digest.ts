/**
 * Exact digests of photos and videos (decision 0118). They recognize an unchanged copy of a picture with too few
 * features for a perceptual hash, and of a video. A digest is the SHA-256 of the uploaded file, of its decoded pixels
 * or pictures, which do not change when metadata is removed, or of a stored file.
 */

/** The pattern of a digest. */
export const PICTURE_DIGEST = /^[0-9a-f]{64}$/u;

/** Returns the different digests of several lists. A list that is missing has none. */
export const uniteDigests = (...lists: readonly (readonly string[] | undefined)[]): readonly string[] => [
  ...new Set(lists.flatMap((list) => list ?? [])),
];
