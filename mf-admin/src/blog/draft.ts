import { createDraftStore, type BrowserStorage } from '@alpenglow/ui';
import { EMPTY_VALUES, mergeStoredValues, type ArticleValues } from './article-values.ts';

export interface DraftOptions {
  readonly storage: BrowserStorage;
  /** Id of the admin who edits the article. */
  readonly viewer: string;
  /** Slug of the article, or null for a new article. */
  readonly slug: string | null;
  readonly now_ms?: () => number;
}

export type ArticleDrafts = ReturnType<typeof createArticleDrafts>;

/** Creates the browser storage for the draft of one article. The draft survives a reload and a closed tab. */
export function createArticleDrafts({ storage, viewer, slug, now_ms }: DraftOptions) {
  const { load, save, clear } = createDraftStore<{
    readonly values: ArticleValues;
    /** Revision of the article that the changes are based on. It is null for a new article. */
    readonly revision: string | null;
  }>({
    storage,
    viewer,
    name: `article.${slug ?? 'new'}`,
    parse: ({ values, revision }) => ({
      values: mergeStoredValues(EMPTY_VALUES, values),
      revision: typeof revision === 'string' ? revision : null,
    }),
    now_ms,
  });
  return {
    load,
    /** Stores a draft. Returns false if the storage is full or the browser denies access to the storage. */
    save: (values: ArticleValues, revision: string | null): boolean => save({ values, revision }),
    clear,
  };
}
