/** Whether this browser may be able to play a video of this type; of an unknown one it is tried. MOV is MP4 in other words: browsers that deny it play it. */
export function canPlay(
  contentType: string | null,
  ask: (type: string) => string = (type) => document.createElement('video').canPlayType(type),
): boolean {
  return contentType === null || contentType === 'video/quicktime' || ask(contentType) !== '';
}
