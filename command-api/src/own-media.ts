import { DomainError, isStockPicture, media, parsePhotoUrl, parseVideoUrl, type MediaKind } from '@alpenglow/domain';
import type { CommandHandler } from '@alpenglow/infra';

/**
 * Creates functions that convert the photo and video URLs of an ad to media ids. The functions also check that the
 * uploads belong to the account.
 */
export function createOwnMediaResolver(commands: Pick<CommandHandler, 'load'>) {
  async function isOwn(accountId: string, mediaId: string, kind: MediaKind): Promise<boolean> {
    const { state } = await commands.load(media, mediaId);
    const isShowable = state?.status === 'ready' || state?.status === 'processing';
    return isShowable && state.kind === kind && state.ownerId === accountId;
  }

  /** Checks whether the account may use a photo. The photo must be an upload of the account or a stock picture. */
  async function canShow(accountId: string, photoId: string): Promise<boolean> {
    return isStockPicture(photoId) || isOwn(accountId, photoId, 'photo');
  }

  return {
    canShow,
    /**
     * Returns the photo ids in these URLs, and ignores other URLs. Throws PHOTO_NOT_YOURS for a photo that is neither a
     * stock picture nor an upload of the account.
     */
    async requireOwnPhotos(accountId: string, urls: readonly string[]): Promise<readonly string[]> {
      const ids = urls.map(parsePhotoUrl).filter((id) => id !== null);
      for (const id of ids) {
        if (!(await canShow(accountId, id))) throw new DomainError('PHOTO_NOT_YOURS');
      }
      return ids;
    },
    /** Returns the video id in a URL. Throws VIDEO_NOT_YOURS if the account has not uploaded this video. */
    async requireOwnVideo(accountId: string, url: string): Promise<string> {
      const id = parseVideoUrl(url);
      if (id === null || !(await isOwn(accountId, id, 'video'))) throw new DomainError('VIDEO_NOT_YOURS');
      return id;
    },
  };
}
