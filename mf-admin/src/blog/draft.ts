import { draftPrefix } from '@alpenglow/ui';
import { EMPTY, valuesIn, type ArticleValues } from './article-values.ts';

/** A draft that nobody came back to is not offered any more; the form for ads deletes such drafts, this one’s as well. */
export const DRAFT_LIFETIME_ms = 7 * 24 * 60 * 60_000;

/** What was written but not saved. All drafts of this browser have `values` and `savedAt_ms`. */
export interface ArticleDraft {
  readonly values: ArticleValues;
  /** The state of the article that was being changed; null for a new one. */
  readonly revision: string | null;
  readonly savedAt_ms: number;
}

export interface DraftOptions {
  readonly storage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;
  /** The admin's id. */
  readonly viewer: string;
  /** Null for a new article. */
  readonly slug: string | null;
  readonly now_ms?: () => number;
}

export type ArticleDrafts = ReturnType<typeof createArticleDrafts>;

/** Keeps what is written about one article in this browser, so that a reload, a closed tab or another page in between loses nothing. */
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
    /** Whether it could be kept: storage may be full, or refused. */
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
        // Storage that is refused has no draft.
      }
    },
  };
}

/** Whatever another version, or a hand, left there: only what fits is taken. */
function parse(text: string | null): ArticleDraft | null {
  const kept = JSON.parse(text ?? 'null') as Partial<Record<keyof ArticleDraft, unknown>> | null;
  if (kept === null || typeof kept.values !== 'object' || kept.values === null || typeof kept.savedAt_ms !== 'number')
    return null;
  return {
    values: valuesIn(EMPTY, kept.values as Readonly<Record<string, unknown>>),
    revision: typeof kept.revision === 'string' ? kept.revision : null,
    savedAt_ms: kept.savedAt_ms,
  };
}
