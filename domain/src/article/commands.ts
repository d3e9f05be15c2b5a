import type { ArticleChanges, NewArticleFields } from './fields.ts';

/**
 * Commands that change a blog article. `cover` is the media id of the cover picture, which the caller has already
 * checked.
 */

export interface DraftArticle {
  readonly articleId: string;
  readonly fields: Omit<NewArticleFields, 'slug' | 'cover'> & { readonly cover: string | null };
}

export interface ReviseArticle {
  readonly changes: Omit<ArticleChanges, 'cover'> & { readonly cover: string | null | undefined };
}

export interface CorrectArticle extends ReviseArticle {
  /** The note for readers that explains the correction. */
  readonly note: string;
}

/** Publishes an article at the time `publishAt` (ISO 8601). Null means now. */
export interface PublishArticle {
  readonly publishAt: string | null;
}

export interface WithdrawArticle {
  readonly reason: string | null;
}
