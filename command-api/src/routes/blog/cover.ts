import { article, DomainError, parsePhotoUrl } from '@alpenglow/domain';
import type { CommandHandler } from '@alpenglow/infra';
import { createOwnMediaResolver } from '../../own-media.ts';

/**
 * Creates functions that convert the URL of an article's cover picture to a media id. The functions also check that the
 * account may use the picture.
 */
export function createCovers(commands: Pick<CommandHandler, 'load'>) {
  const ownMedia = createOwnMediaResolver(commands);

  /**
   * Returns the media id of the cover picture of a new article, or null. The cover must be a stock picture or an upload
   * of the account. Throws COVER_NOT_YOURS for any other photo.
   */
  async function resolveNew(accountId: string, url: string | null): Promise<string | null> {
    const id = url === null ? null : parsePhotoUrl(url);
    if (id !== null && !(await ownMedia.canShow(accountId, id))) throw new DomainError('COVER_NOT_YOURS');
    return id;
  }

  return {
    resolveNew,
    /**
     * Returns the media id of the cover picture of a changed article. The current cover is always allowed, even if
     * another account has uploaded it. Returns null if the request removes the cover, and undefined if the request does
     * not change the cover.
     */
    async resolveChanged(accountId: string, slug: string, url: string | null | undefined) {
      if (url === undefined || url === null) return url;
      const { state } = await commands.load(article, slug);
      const id = parsePhotoUrl(url);
      return id === state?.cover ? id : resolveNew(accountId, url);
    },
  };
}
