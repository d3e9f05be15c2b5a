import {
  article,
  ARTICLE_SLUG_MAX,
  articleSlugOf,
  BAD_ARTICLE_SLUG,
  DomainError,
  draftArticle,
  type ArticleState,
  type DraftArticle,
} from '@alpenglow/domain';
import type { CommandHandler, CommandOrigin, Handled } from '@alpenglow/infra';

/** An article whose title makes an address that is taken gets the first of these that is free. */
const NUMBERS = [2, 3, 4, 5, 6, 7, 8, 9] as const;

/**
 * Writes a draft at the address asked for, or at one its title makes where `slug` is empty. Throws SLUG_TAKEN, and INVALID_FIELDS where
 * nothing is left of a title.
 */
export async function draftAtFreeSlug(
  commands: CommandHandler,
  slug: string,
  fields: DraftArticle['fields'],
  origin: CommandOrigin,
): Promise<{ readonly slug: string; readonly handled: Handled<ArticleState> }> {
  const draft = async (articleId: string) => ({
    slug: articleId,
    handled: await commands.handle(article, articleId, (state) => draftArticle({ articleId, fields }, state), origin),
  });
  if (slug !== '') return draft(slug);
  for (const candidate of slugsOf(fields.title)) {
    try {
      return await draft(candidate);
    } catch (error) {
      if (!(error instanceof DomainError && error.code === 'SLUG_TAKEN')) throw error;
    }
  }
  throw new DomainError('SLUG_TAKEN', {}, null, { slug: 'There is an article with this address already' });
}

function slugsOf(title: string): readonly string[] {
  const slug = articleSlugOf(title);
  if (slug === '')
    throw new DomainError('INVALID_FIELDS', { reason: BAD_ARTICLE_SLUG }, null, { slug: BAD_ARTICLE_SLUG });
  const start = slug.slice(0, ARTICLE_SLUG_MAX - 2).replace(/-$/u, '');
  return [slug, ...NUMBERS.map((number) => `${start}-${number}`)];
}
