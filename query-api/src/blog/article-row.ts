import { photoUrl, READING_words_per_minute, type ArticleCard, type PhotoView } from '@alpenglow/domain';

/** The database row of a blog article in a list. Only admins receive articles that are not published. */
export interface ArticleRow {
  readonly slug: string;
  readonly title: string;
  readonly summary: string;
  readonly state: string | null;
  readonly city: string | null;
  readonly tags: readonly string[];
  readonly cover: string | null;
  readonly cover_media: CoverRow | null;
  readonly text_words: number;
  readonly published_at: Date | null;
  readonly corrected_at: Date | null;
  readonly updated_at: Date;
}

/** The columns with the properties of an article's cover picture. */
export type CoverRow = Omit<PhotoView, 'id' | 'url'>;

export interface CorrectionRow {
  readonly note: string;
  /** Time in ISO 8601 format. */
  readonly at: string;
}

/**
 * Returns the SQL expression for the column `cover_media`, which contains the properties of a cover picture. `id` is an
 * SQL expression for the media id of the picture.
 */
export const coverColumn = (id: string) => `(
  select jsonb_build_object('status', m.status, 'reason', m.reason,
                            'width', m.width, 'height', m.height, 'blur', m.blur)
    from rm.media_items m where m.media_id = ${id}) as cover_media`;

/**
 * The SQL expressions for the columns of an `ArticleRow`. They require `rm.articles` with the alias `a` in the `from`
 * clause.
 */
export const ARTICLE_COLUMNS = `a.slug, a.title, a.summary, a.state, a.city, a.tags, a.cover, a.text_words,
  a.published_at, a.corrected_at, a.updated_at, ${coverColumn('a.cover')}`;

/**
 * Creates the card of a published article, which is the form of the article in lists. The cover is null if the cover
 * picture was rejected.
 */
export function createArticleCard(row: ArticleRow): ArticleCard {
  const { slug, title, summary, state, city, tags } = row;
  const publishedAt = row.published_at ?? row.updated_at;
  const cover = createCoverView(row.cover, row.cover_media);
  return {
    slug,
    title,
    summary,
    state,
    city,
    tags: [...tags],
    cover: cover?.status === 'rejected' ? null : cover,
    readingMinutes: Math.max(1, Math.ceil(row.text_words / READING_words_per_minute)),
    publishedAt: publishedAt.toISOString(),
    updatedAt: (row.corrected_at ?? publishedAt).toISOString(),
  };
}

/** The default values for a cover picture that the read model does not contain yet. */
const UNKNOWN: CoverRow = { status: 'processing', reason: null, width: 0, height: 0, blur: null };

/** Converts the cover picture of an article to the API format for admins. */
export function createCoverView(id: string | null, media: CoverRow | null): PhotoView | null {
  return id === null ? null : { id, url: photoUrl(id), ...(media ?? UNKNOWN) };
}
