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
  /** Checks whether the account has uploaded this photo or video, and the file was not rejected or removed. */
  async function isOwn(uploader: Uploader, mediaId: string, kind?: MediaKind): Promise<boolean> {
    const { state } = await commands.load(media, mediaId);
    const isShowable = state?.status === 'ready' || state?.status === 'processing';
    return isShowable && (kind === undefined || state.kind === kind) && isUploadedBy(state, uploader);
  }

  return {
    isOwn,
    /**
     * Returns the ids of the uploaded photos in these URLs. Ignores other URLs and stock pictures, which a client may
     * send for an ad without photos. Throws PHOTO_NOT_YOURS for a photo that the account has not uploaded.
     */
    async requireOwnPhotos(uploader: Uploader, urls: readonly string[]): Promise<readonly string[]> {
      const ids = urls.map(parsePhotoUrl).filter((id) => id !== null);
      const own = ids.filter((id) => !isStockPicture(id));
      for (const id of own) {
        if (!(await isOwn(uploader, id, 'photo'))) throw new DomainError('PHOTO_NOT_YOURS');
      }
      return own;
    },
    /** Returns the video id in a URL. Throws VIDEO_NOT_YOURS if the account has not uploaded this video. */
    async requireOwnVideo(uploader: Uploader, url: string): Promise<string> {
      const id = parseVideoUrl(url);
      if (id === null || !(await isOwn(uploader, id, 'video'))) throw new DomainError('VIDEO_NOT_YOURS');
      return id;
    },
  };
}
