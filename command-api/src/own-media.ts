import { DomainError, isHousePicture, media, mediaIdOf, videoIdOf, type MediaKind } from '@alpenglow/domain';
import type { CommandHandler } from '@alpenglow/infra';

/** Turns the addresses an ad names into media ids, after a look at whose uploads they are. */
export interface OwnMedia {
  /** Photos that are the account's own uploads or house pictures. Throws PHOTO_NOT_YOURS. */
  photosOf(accountId: string, urls: readonly string[]): Promise<readonly string[]>;
  /** Whether a photo is the account's own upload, or a house picture. */
  mayShow(accountId: string, photoId: string): Promise<boolean>;
  /** A video that is the account's own upload. Throws VIDEO_NOT_YOURS. */
  videoOf(accountId: string, url: string): Promise<string>;
}

export function createOwnMedia(commands: Pick<CommandHandler, 'load'>): OwnMedia {
  async function isOwn(accountId: string, mediaId: string, kind: MediaKind): Promise<boolean> {
    const { state } = await commands.load(media, mediaId);
    const isShowable = state?.status === 'ready' || state?.status === 'processing';
    return isShowable && state.kind === kind && state.ownerId === accountId;
  }

  async function mayShow(accountId: string, photoId: string): Promise<boolean> {
    return isHousePicture(photoId) || isOwn(accountId, photoId, 'photo');
  }

  return {
    mayShow,
    async photosOf(accountId, urls) {
      const ids = urls.map(mediaIdOf).filter((id) => id !== null);
      for (const id of ids) {
        if (!(await mayShow(accountId, id))) throw new DomainError('PHOTO_NOT_YOURS');
      }
      return ids;
    },
    async videoOf(accountId, url) {
      const id = videoIdOf(url);
      if (id === null || !(await isOwn(accountId, id, 'video'))) throw new DomainError('VIDEO_NOT_YOURS');
      return id;
    },
  };
}
