import {
  article,
  ARTICLE_SLUG_MAX,
  createArticleSlug,
  INVALID_ARTICLE_SLUG_MESSAGE,
  DomainError,
  errorMessage,
  type ArticleState,
  type DraftArticle,
} from '@alpenglow/domain';
import { draftArticle } from '@alpenglow/domain/deciders';
import type { CommandHandler, CommandOrigin, CommandResult } from '@alpenglow/infra';

/**
 * If the slug of an article is already in use, one of these numbers is appended. The first number that makes the slug
 * unique is used.
 */
const NUMBERS = [2, 3, 4, 5, 6, 7, 8, 9] as const;

/**
 * Creates the draft of an article with the requested slug, which identifies the article in its URL. If `slug` is empty,
 * the slug is derived from the title. Throws SLUG_TAKEN if the slug is already in use, and INVALID_FIELDS if no slug
 * can be derived from the title.
 */
export async function draftAtFreeSlug(
  commands: CommandHandler,
  slug: string,
  fields: DraftArticle['fields'],
  origin: CommandOrigin,
): Promise<{ readonly slug: string; readonly handled: CommandResult<ArticleState> }> {
  const draft = async (articleId: string) => ({
    slug: articleId,
    handled: await commands.execute(article, articleId, draftArticle, { articleId, fields }, origin),
  });
  if (slug !== '') return draft(slug);
  for (const candidate of slugCandidates(fields.title)) {
    try {
      return await draft(candidate);
    } catch (error) {
      if (!(error instanceof DomainError && error.code === 'SLUG_TAKEN')) throw error;
    }
  }
  throw new DomainError('SLUG_TAKEN', {}, null, { slug: errorMessage('SLUG_TAKEN') });
}

function slugCandidates(title: string): readonly string[] {
  const slug = createArticleSlug(title);
  if (slug === '')
    throw new DomainError('INVALID_FIELDS', { reason: INVALID_ARTICLE_SLUG_MESSAGE }, null, {
      slug: INVALID_ARTICLE_SLUG_MESSAGE,
    });
  const start = slug.slice(0, ARTICLE_SLUG_MAX - 2).replace(/-$/u, '');
  return [slug, ...NUMBERS.map((number) => `${start}-${number}`)];
}
