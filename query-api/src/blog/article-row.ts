import { photoUrl, READING_words_per_minute, type ArticleCard, type PhotoView } from '@alpenglow/domain';

/** A published article, or one nobody but admins sees, as lists need it. */
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

/** What the read models know of a cover. */
export type CoverRow = Omit<PhotoView, 'id' | 'url'>;

export interface CorrectionRow {
  readonly note: string;
  /** ISO 8601. */
  readonly at: string;
}

/** What the cover `id` of SQL is read from. */
export const coverColumn = (
  id: string,
) => `(select jsonb_build_object('status', m.status, 'reason', m.reason, 'width', m.width, 'height', m.height, 'blur', m.blur)
   from rm.media_items m where m.media_id = ${id}) as cover_media`;

/** What an `ArticleRow` is read from: columns of `rm.articles a`, and what others know of its cover. */
export const ARTICLE_COLUMNS = `a.slug, a.title, a.summary, a.state, a.city, a.tags, a.cover, a.text_words, a.published_at, a.corrected_at, a.updated_at,
  ${coverColumn('a.cover')}`;

/** A published article in a list. Its cover is null where the file turned out to be no picture. */
export function articleCardOf(row: ArticleRow): ArticleCard {
  const { slug, title, summary, state, city, tags } = row;
  const publishedAt = row.published_at ?? row.updated_at;
  const cover = coverOf(row.cover, row.cover_media);
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

/** Stands for media the read models have not heard of yet. */
const UNKNOWN: CoverRow = { status: 'processing', reason: null, width: 0, height: 0, blur: null };

/** The picture of an article as whoever has put it there sees it. */
export function coverOf(id: string | null, media: CoverRow | null): PhotoView | null {
  return id === null ? null : { id, url: photoUrl(id), ...(media ?? UNKNOWN) };
}
