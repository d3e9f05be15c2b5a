import {
  DomainError,
  isStockPicture,
  isUploadedBy,
  media,
  parsePhotoUrl,
  parseVideoUrl,
  type MediaKind,
  type RegisteredAccount,
} from '@alpenglow/domain';
import type { CommandHandler } from '@alpenglow/infra';

type Uploader = Pick<RegisteredAccount, 'accountId' | 'registeredAt'>;

/**
 * Creates functions that convert the photo and video URLs of an ad to media ids. The functions also check that the
 * uploads belong to the account.
 */
export function createOwnMediaResolver(commands: Pick<CommandHandler, 'load'>) {
  async function isOwn(uploader: Uploader, mediaId: string, kind?: MediaKind): Promise<boolean> {
    const { state } = await commands.load(media, mediaId);
    const isShowable = state?.status === 'ready' || state?.status === 'processing';
    return isShowable && (kind === undefined || state.kind === kind) && isUploadedBy(state, uploader);
  }

  /** Checks whether the account may use a photo. The photo must be an upload of the account or a stock picture. */
  async function canShow(uploader: Uploader, photoId: string): Promise<boolean> {
    return isStockPicture(photoId) || isOwn(uploader, photoId, 'photo');
  }

  return {
    canShow,
    /**
     * Throws PHOTO_NOT_YOURS if one of the photos and videos is neither a stock picture nor an upload of the account.
     */
    async requireOwnMedia(uploader: Uploader, ids: readonly string[]): Promise<void> {
      for (const id of ids) {
        if (!isStockPicture(id) && !(await isOwn(uploader, id))) throw new DomainError('PHOTO_NOT_YOURS');
      }
    },
    /**
     * Returns the photo ids in these URLs, and ignores other URLs. Throws PHOTO_NOT_YOURS for a photo that is neither a
     * stock picture nor an upload of the account.
     */
    async requireOwnPhotos(uploader: Uploader, urls: readonly string[]): Promise<readonly string[]> {
      const ids = urls.map(parsePhotoUrl).filter((id) => id !== null);
      for (const id of ids) {
        if (!(await canShow(uploader, id))) throw new DomainError('PHOTO_NOT_YOURS');
      }
      return ids;
    },
    /** Returns the video id in a URL. Throws VIDEO_NOT_YOURS if the account has not uploaded this video. */
    async requireOwnVideo(uploader: Uploader, url: string): Promise<string> {
      const id = parseVideoUrl(url);
      if (id === null || !(await isOwn(uploader, id, 'video'))) throw new DomainError('VIDEO_NOT_YOURS');
      return id;
    },
  };
}
