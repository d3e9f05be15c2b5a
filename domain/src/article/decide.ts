import type { DecisionContext } from '../aggregate.ts';
import { DomainError } from '../errors.ts';
import type { CorrectArticle, DraftArticle, ReviseArticle } from './commands.ts';
import type { ArticleEvent } from './events.ts';
import { isArticlePlace, UNKNOWN_ARTICLE_CITY } from './fields.ts';
import type { Article, ArticleState } from './state.ts';

/** Writes a new draft. Refuses with SLUG_TAKEN. */
export function draftArticle({ articleId, fields }: DraftArticle, state: ArticleState): readonly ArticleEvent[] {
  if (state) throw new DomainError('SLUG_TAKEN', {}, null, { slug: 'There is an article with this address already' });
  return [{ type: 'ArticleDrafted', data: { articleId, ...fields, tags: [...fields.tags] } }];
}

/** Changes an article nobody but admins sees; only what differs is recorded. Refuses with ARTICLE_NOT_FOUND, ARTICLE_IS_PUBLISHED, INVALID_FIELDS when state and city no longer fit. */
export function reviseArticle({ changes }: ReviseArticle, state: ArticleState): readonly ArticleEvent[] {
  const article = known(state);
  if (article.status === 'published') throw new DomainError('ARTICLE_IS_PUBLISHED');
  const changed = differences(changes, article);
  return Object.keys(changed).length === 0
    ? []
    : [{ type: 'ArticleRevised', data: { articleId: article.articleId, ...changed } }];
}

/**
 * Publishes an article now, or has it published at `publishAt`, where that is to come. One that was withdrawn comes back with the date it had.
 * Refuses with ARTICLE_NOT_FOUND.
 */
export function publishArticle(
  publishAt: string | null,
  state: ArticleState,
  { now }: DecisionContext,
): readonly ArticleEvent[] {
  const { articleId, status, publishAt: planned } = known(state);
  if (status === 'published') return [];
  if (publishAt === null || Date.parse(publishAt) <= Date.parse(now))
    return [{ type: 'ArticlePublished', data: { articleId } }];
  const at = new Date(publishAt).toISOString();
  return planned === at ? [] : [{ type: 'ArticleScheduled', data: { articleId, publishAt: at } }];
}

/** Publishes a scheduled article whose time has come. Any other stays as it is. */
export function publishWhenDue(state: ArticleState, { now }: DecisionContext): readonly ArticleEvent[] {
  const isDue = state?.publishAt != null && Date.parse(state.publishAt) <= Date.parse(now);
  return isDue ? [{ type: 'ArticlePublished', data: { articleId: state.articleId } }] : [];
}

/** Takes a scheduled article's time away: it is a draft again. Refuses with ARTICLE_NOT_FOUND. */
export function unscheduleArticle(state: ArticleState): readonly ArticleEvent[] {
  const { articleId, status } = known(state);
  return status === 'scheduled' ? [{ type: 'ArticleUnscheduled', data: { articleId } }] : [];
}

/** Changes a published article, with a note its readers see. Refuses with ARTICLE_NOT_FOUND, ARTICLE_NOT_PUBLISHED, INVALID_FIELDS (nothing differs, or state and city do not fit). */
export function correctArticle({ changes, note }: CorrectArticle, state: ArticleState): readonly ArticleEvent[] {
  const article = published(state);
  const changed = differences(changes, article);
  if (Object.keys(changed).length === 0)
    throw new DomainError('INVALID_FIELDS', { reason: NOTHING_CORRECTED }, null, { body: NOTHING_CORRECTED });
  return [{ type: 'ArticleCorrected', data: { articleId: article.articleId, ...changed, note } }];
}

const NOTHING_CORRECTED = 'Nothing has changed that could be corrected';

/** Takes a published article down. Refuses with ARTICLE_NOT_FOUND, ARTICLE_NOT_PUBLISHED. */
export function withdrawArticle(reason: string | null, state: ArticleState): readonly ArticleEvent[] {
  return [{ type: 'ArticleWithdrawn', data: { articleId: published(state).articleId, reason } }];
}

/** Throws away a draft that was never published. Refuses with ARTICLE_NOT_FOUND, ARTICLE_IS_PUBLISHED. */
export function discardArticle(state: ArticleState): readonly ArticleEvent[] {
  const { articleId, publishedAt } = known(state);
  if (publishedAt !== null) throw new DomainError('ARTICLE_IS_PUBLISHED');
  return [{ type: 'ArticleDiscarded', data: { articleId } }];
}

function known(state: ArticleState): Article {
  if (!state) throw new DomainError('ARTICLE_NOT_FOUND');
  return state;
}

function published(state: ArticleState): Article {
  const article = known(state);
  if (article.status !== 'published') throw new DomainError('ARTICLE_NOT_PUBLISHED');
  return article;
}

function differences(changes: ReviseArticle['changes'], article: Article) {
  const { title, summary, body, state, city, tags, cover } = changes;
  if (!isArticlePlace(state === undefined ? article.state : state, city === undefined ? article.city : city)) {
    throw new DomainError('INVALID_FIELDS', { reason: UNKNOWN_ARTICLE_CITY }, null, { city: UNKNOWN_ARTICLE_CITY });
  }
  return {
    ...(title !== undefined && title !== article.title && { title }),
    ...(summary !== undefined && summary !== article.summary && { summary }),
    ...(body !== undefined && body !== article.body && { body }),
    ...(state !== undefined && state !== article.state && { state }),
    ...(city !== undefined && city !== article.city && { city }),
    ...(tags !== undefined && tags.join() !== article.tags.join() && { tags: [...tags] }),
    ...(cover !== undefined && cover !== article.cover && { cover }),
  };
}
