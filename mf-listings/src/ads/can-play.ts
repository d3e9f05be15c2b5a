/**
 * Checks whether this browser may be able to play a video of this type. Returns true for an unknown type. Also returns
 * true for MOV, because browsers can play MOV videos even if they do not report support.
 */
export function canPlay(
  contentType: string | null,
  canPlayType: (type: string) => string = (type) => document.createElement('video').canPlayType(type),
): boolean {
  return contentType === null || contentType === 'video/quicktime' || canPlayType(contentType) !== '';
}
