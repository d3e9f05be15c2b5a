import { article, DomainError, mediaIdOf } from '@alpenglow/domain';
import type { CommandHandler } from '@alpenglow/infra';
import { createOwnMedia } from '../../own-media.ts';

/** Turns the address of a cover into a media id, after a look at whose upload it is. */
export interface Covers {
  /** The cover of a new article: a house picture, or a photo the account itself has uploaded. Throws COVER_NOT_YOURS. */
  ofNew(accountId: string, url: string | null): Promise<string | null>;
  /** The same of an article that is there: the cover it has may stay, whoever has uploaded it. Undefined stays undefined. */
  ofExisting(accountId: string, slug: string, url: string | null | undefined): Promise<string | null | undefined>;
}

export function createCovers(commands: Pick<CommandHandler, 'load'>): Covers {
  const ownMedia = createOwnMedia(commands);

  async function ofNew(accountId: string, url: string | null): Promise<string | null> {
    const id = url === null ? null : mediaIdOf(url);
    if (id !== null && !(await ownMedia.mayShow(accountId, id))) throw new DomainError('COVER_NOT_YOURS');
    return id;
  }

  return {
    ofNew,
    async ofExisting(accountId, slug, url) {
      if (url === undefined || url === null) return url;
      const { state } = await commands.load(article, slug);
      const id = mediaIdOf(url);
      return id === state?.cover ? id : ofNew(accountId, url);
    },
  };
}
