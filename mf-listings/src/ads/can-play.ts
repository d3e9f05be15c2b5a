/**
 * Checks whether this browser may be able to play a video of this type. An unknown type always counts as playable. MOV
 * also does, because browsers can play it even if they do not report support.
 */
export function canPlay(
  contentType: string | null,
  canPlayType: (type: string) => string = (type) => document.createElement('video').canPlayType(type),
): boolean {
  return contentType === null || contentType === 'video/quicktime' || canPlayType(contentType) !== '';
}
