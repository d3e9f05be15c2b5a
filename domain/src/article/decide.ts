import type { Decider, EmptyCommand } from '../aggregate.ts';
import { DomainError, errorMessage } from '../error-catalogue.ts';
import type { CorrectArticle, DraftArticle, PublishArticle, ReviseArticle, WithdrawArticle } from './commands.ts';
import type { ArticleEvent } from './events.ts';
import { DEFAULT_ARTICLE_LANGUAGE, isValidArticlePlace, UNKNOWN_ARTICLE_CITY_MESSAGE } from './fields.ts';
import type { Article, ArticleState } from './state.ts';

/** Creates the draft of an article. Throws SLUG_TAKEN if another article already has the slug. */
export const draftArticle: Decider<DraftArticle, ArticleState, ArticleEvent> = ({ articleId, fields }, state) => {
  if (state) throw new DomainError('SLUG_TAKEN', {}, null, { slug: errorMessage('SLUG_TAKEN') });
  const { language, ...others } = fields;
  const data = {
    articleId,
    ...others,
    tags: [...fields.tags],
    ...(language !== DEFAULT_ARTICLE_LANGUAGE && { language }),
  };
  return [{ type: 'ArticleDrafted', data }];
};

/**
 * Changes an article that is not published. Only the fields that differ are recorded. Throws ARTICLE_NOT_FOUND,
 * ARTICLE_IS_PUBLISHED, and INVALID_FIELDS if the city is not in the state.
 */
export const reviseArticle: Decider<ReviseArticle, ArticleState, ArticleEvent> = ({ changes }, state) => {
  const article = requireArticle(state);
  if (article.status === 'published') throw new DomainError('ARTICLE_IS_PUBLISHED');
  const changed = changedFields(changes, article);
  return Object.keys(changed).length === 0
    ? []
    : [{ type: 'ArticleRevised', data: { articleId: article.articleId, ...changed } }];
};

/**
 * Publishes an article now, or schedules it if `publishAt` is in the future. A withdrawn article that is published
 * again keeps the date of its first publication. Throws ARTICLE_NOT_FOUND.
 */
export const publishArticle: Decider<PublishArticle, ArticleState, ArticleEvent> = ({ publishAt }, state, { now }) => {
  const { articleId, status, publishAt: planned } = requireArticle(state);
  if (status === 'published') return [];
  if (publishAt === null || Date.parse(publishAt) <= Date.parse(now))
    return [{ type: 'ArticlePublished', data: { articleId } }];
  const at = new Date(publishAt).toISOString();
  return planned === at ? [] : [{ type: 'ArticleScheduled', data: { articleId, publishAt: at } }];
};

/** Publishes a scheduled article whose time of publication has come. Any other article stays unchanged. */
export const publishWhenDue: Decider<EmptyCommand, ArticleState, ArticleEvent> = (_command, state, { now }) => {
  const isDue = state?.publishAt != null && Date.parse(state.publishAt) <= Date.parse(now);
  return isDue ? [{ type: 'ArticlePublished', data: { articleId: state.articleId } }] : [];
};

/** Turns a scheduled article into a draft. Throws ARTICLE_NOT_FOUND. */
export const unscheduleArticle: Decider<EmptyCommand, ArticleState, ArticleEvent> = (_command, state) => {
  const { articleId, status } = requireArticle(state);
  return status === 'scheduled' ? [{ type: 'ArticleUnscheduled', data: { articleId } }] : [];
};

/**
 * Changes a published article and adds a note for its readers. Throws ARTICLE_NOT_FOUND,
 * ARTICLE_NOT_PUBLISHED, and INVALID_FIELDS if nothing differs or the city is not in the state.
 */
export const correctArticle: Decider<CorrectArticle, ArticleState, ArticleEvent> = ({ changes, note }, state) => {
  const article = requirePublishedArticle(state);
  const changed = changedFields(changes, article);
  if (Object.keys(changed).length === 0)
    throw new DomainError('INVALID_FIELDS', { reason: NOTHING_CORRECTED }, null, { body: NOTHING_CORRECTED });
  return [{ type: 'ArticleCorrected', data: { articleId: article.articleId, ...changed, note } }];
};

const NOTHING_CORRECTED = 'There are no changes to publish';

/** Withdraws a published article. Throws ARTICLE_NOT_FOUND and ARTICLE_NOT_PUBLISHED. */
export const withdrawArticle: Decider<WithdrawArticle, ArticleState, ArticleEvent> = ({ reason }, state) => {
  return [{ type: 'ArticleWithdrawn', data: { articleId: requirePublishedArticle(state).articleId, reason } }];
};

/** Discards a draft that was never published. Throws ARTICLE_NOT_FOUND and ARTICLE_IS_PUBLISHED. */
export const discardArticle: Decider<EmptyCommand, ArticleState, ArticleEvent> = (_command, state) => {
  const { articleId, publishedAt } = requireArticle(state);
  if (publishedAt !== null) throw new DomainError('ARTICLE_IS_PUBLISHED');
  return [{ type: 'ArticleDiscarded', data: { articleId } }];
};

function requireArticle(state: ArticleState): Article {
  if (!state) throw new DomainError('ARTICLE_NOT_FOUND');
  return state;
}

function requirePublishedArticle(state: ArticleState): Article {
  const article = requireArticle(state);
  if (article.status !== 'published') throw new DomainError('ARTICLE_NOT_PUBLISHED');
  return article;
}

function changedFields(changes: ReviseArticle['changes'], article: Article) {
  const { title, summary, body, language, state, city, tags, cover } = changes;
  if (!isValidArticlePlace(state === undefined ? article.state : state, city === undefined ? article.city : city)) {
    throw new DomainError('INVALID_FIELDS', { reason: UNKNOWN_ARTICLE_CITY_MESSAGE }, null, {
      city: UNKNOWN_ARTICLE_CITY_MESSAGE,
    });
  }
  return {
    ...(title !== undefined && title !== article.title && { title }),
    ...(summary !== undefined && summary !== article.summary && { summary }),
    ...(body !== undefined && body !== article.body && { body }),
    ...(language !== undefined && language !== article.language && { language }),
    ...(state !== undefined && state !== article.state && { state }),
    ...(city !== undefined && city !== article.city && { city }),
    ...(tags !== undefined && tags.join() !== article.tags.join() && { tags: [...tags] }),
    ...(cover !== undefined && cover !== article.cover && { cover }),
  };
}
