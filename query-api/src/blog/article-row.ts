import { photoUrl, READING_words_per_minute, type ArticleCard, type PhotoView } from '@alpenglow/domain';

/** The row of an article in a list. Unpublished articles are for admins only. */
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

/** Columns of the cover picture of an article. */
export type CoverRow = Omit<PhotoView, 'id' | 'url'>;

export interface CorrectionRow {
  readonly note: string;
  /** Time in ISO 8601 format. */
  readonly at: string;
}

/** Returns the SQL of the column `cover_media`. `id` is an SQL expression for the media id of the cover. */
export const coverColumn = (id: string) => `(
  select jsonb_build_object('status', m.status, 'reason', m.reason,
                            'width', m.width, 'height', m.height, 'blur', m.blur)
    from rm.media_items m where m.media_id = ${id}) as cover_media`;

/** SQL of the columns of an `ArticleRow`, from `rm.articles a` and the media table. */
export const ARTICLE_COLUMNS = `a.slug, a.title, a.summary, a.state, a.city, a.tags, a.cover, a.text_words,
  a.published_at, a.corrected_at, a.updated_at, ${coverColumn('a.cover')}`;

/** Creates the card of a published article. The cover is null if the picture was rejected. */
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

/** Default values for covers that the read model does not contain yet. */
const UNKNOWN: CoverRow = { status: 'processing', reason: null, width: 0, height: 0, blur: null };

/** Converts a cover to the API format for admins. */
export function createCoverView(id: string | null, media: CoverRow | null): PhotoView | null {
  return id === null ? null : { id, url: photoUrl(id), ...(media ?? UNKNOWN) };
}
