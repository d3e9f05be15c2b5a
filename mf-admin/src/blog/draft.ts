import { DRAFT_LIFETIME_ms, draftPrefix } from '@alpenglow/ui';
import { EMPTY_VALUES, mergeStoredValues, type ArticleValues } from './article-values.ts';

/** Unsaved changes to an article, stored in this browser. */
export interface ArticleDraft {
  readonly values: ArticleValues;
  /** Revision of the article that the changes are based on. It is null for a new article. */
  readonly revision: string | null;
  readonly savedAt_ms: number;
}

export interface DraftOptions {
  readonly storage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;
  /** Id of the admin who edits the article. */
  readonly viewer: string;
  /** Slug of the article, or null for a new article. */
  readonly slug: string | null;
  readonly now_ms?: () => number;
}

export type ArticleDrafts = ReturnType<typeof createArticleDrafts>;

/** Creates the browser storage for the draft of one article. The draft survives a reload and a closed tab. */
export function createArticleDrafts({ storage, viewer, slug, now_ms = Date.now }: DraftOptions) {
  const key = `${draftPrefix(viewer)}article.${slug ?? 'new'}`;
  return {
    load(): ArticleDraft | null {
      try {
        const draft = parse(storage.getItem(key));
        return draft && now_ms() - draft.savedAt_ms < DRAFT_LIFETIME_ms ? draft : null;
      } catch {
        return null;
      }
    },
    /** Stores a draft. Returns false if the storage is full or the browser denies access to the storage. */
    save(values: ArticleValues, revision: string | null): boolean {
      try {
        storage.setItem(key, JSON.stringify({ values, revision, savedAt_ms: now_ms() } satisfies ArticleDraft));
        return true;
      } catch {
        return false;
      }
    },
    clear(): void {
      try {
        storage.removeItem(key);
      } catch {
        // The error is ignored: if the browser denies access to the storage, the storage contains no draft.
      }
    },
  };
}

/**
 * Parses a stored draft. Ignores invalid values, because another version of the site may have written the
 * draft.
 */
function parse(text: string | null): ArticleDraft | null {
  const stored = JSON.parse(text ?? 'null') as Partial<Record<keyof ArticleDraft, unknown>> | null;
  if (
    stored === null ||
    typeof stored.values !== 'object' ||
    stored.values === null ||
    typeof stored.savedAt_ms !== 'number'
  )
    return null;
  return {
    values: mergeStoredValues(EMPTY_VALUES, stored.values as Readonly<Record<string, unknown>>),
    revision: typeof stored.revision === 'string' ? stored.revision : null,
    savedAt_ms: stored.savedAt_ms,
  };
}
