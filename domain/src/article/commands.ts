import type { ArticleChanges, NewArticleFields } from './fields.ts';

/** What may be asked of an article. `cover` is a media id already known to be fit for it. */

export interface DraftArticle {
  readonly articleId: string;
  readonly fields: Omit<NewArticleFields, 'slug' | 'cover'> & { readonly cover: string | null };
}

export interface ReviseArticle {
  readonly changes: Omit<ArticleChanges, 'cover'> & { readonly cover: string | null | undefined };
}

export interface CorrectArticle extends ReviseArticle {
  /** What readers are told was corrected. */
  readonly note: string;
}
