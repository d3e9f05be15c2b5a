import { article, DomainError, isStockPicture, parsePhotoUrl, type RegisteredAccount } from '@alpenglow/domain';
import { findMediaIds, renderMarkdown, type CommandHandler } from '@alpenglow/infra';
import { createOwnMediaResolver } from '../../own-media.ts';

/** The fields of an article that contain photos. `cover` is a URL. `body` is Markdown. */
interface IllustratedFields {
  readonly cover?: string | null | undefined;
  readonly body?: string | undefined;
}

const findMediaInBody = (body: string) => findMediaIds(renderMarkdown(body, 'article').html);

/**
 * Creates functions that check whether an admin may use the photos of an article. The functions return the media id of
 * the cover instead of its URL. Photos must be stock pictures or uploads of the admin.
 */
export function createArticleMedia(commands: Pick<CommandHandler, 'load'>) {
  const { isOwn } = createOwnMediaResolver(commands);

  async function requireOwnMedia(admin: RegisteredAccount, ids: readonly string[]): Promise<void> {
    for (const id of ids)
      if (!isStockPicture(id) && !(await isOwn(admin, id))) throw new DomainError('PHOTO_NOT_YOURS');
  }

  async function resolveCover(admin: RegisteredAccount, url: string | null): Promise<string | null> {
    const id = url === null ? null : parsePhotoUrl(url);
    if (id !== null && !isStockPicture(id) && !(await isOwn(admin, id, 'photo')))
      throw new DomainError('COVER_NOT_YOURS');
    return id;
  }

  return {
    /** Returns the media id of the cover of a new article, or null. Throws COVER_NOT_YOURS and PHOTO_NOT_YOURS. */
    async resolveNew(
      admin: RegisteredAccount,
      { cover, body }: { readonly cover: string | null; readonly body: string },
    ): Promise<string | null> {
      await requireOwnMedia(admin, findMediaInBody(body));
      return resolveCover(admin, cover);
    },
    /**
     * Returns the media id of the cover of a changed article. The current photos are always allowed, even if another
     * account has uploaded them. Returns null if the request removes the cover, and undefined if the request does not
     * change the cover. Throws COVER_NOT_YOURS and PHOTO_NOT_YOURS.
     */
    async resolveChanged(admin: RegisteredAccount, slug: string, { cover, body }: IllustratedFields) {
      const { state } = await commands.load(article, slug);
      if (body !== undefined) {
        const current = state ? findMediaInBody(state.body) : [];
        await requireOwnMedia(
          admin,
          findMediaInBody(body).filter((id) => id !== state?.cover && !current.includes(id)),
        );
      }
      if (cover === undefined || cover === null) return cover;
      const id = parsePhotoUrl(cover);
      return id === state?.cover ? id : resolveCover(admin, cover);
    },
  };
}
