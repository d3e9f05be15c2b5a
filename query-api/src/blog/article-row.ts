import { photoUrl, READING_words_per_minute, type ArticleCard, type PhotoView } from '@alpenglow/domain';
import { MEDIA_ITEMS, ARTICLES, type SelectedRow } from '@alpenglow/infra';
import { applyHold, createUnknownMedia, holdOf, isHeld, type HoldableMedia } from '../uploads/holds.ts';

const LISTED = ARTICLES.select(
  [
    'slug',
    'title',
    'summary',
    'language',
    'state',
    'city',
    'tags',
    'cover',
    'text_words',
    'published_at',
    'corrected_at',
    'updated_at',
  ],
  'a',
);

/** The database row of a blog article in a list. Only admins receive articles that are not published. */
export type ArticleRow = SelectedRow<typeof LISTED> & { readonly cover_media: CoverRow | null };

/** The columns with the properties of an article's cover picture. */
export type CoverRow = HoldableMedia;

/**
 * Returns the SQL expression for the column `cover_media`, which contains the properties of a cover picture. `id` is an
 * SQL expression for the media id of the picture.
 */
export const coverColumn = (id: string) => `(
  select jsonb_build_object('status', m.status, 'reason', m.reason,
                            'width', m.width, 'height', m.height, 'blur', m.blur,
                            'hold', ${holdOf('m.media_id')})
    from ${MEDIA_ITEMS.table} m where m.media_id = ${id}) as cover_media`;

/** The SQL expressions for the columns of an `ArticleRow`. They require `ARTICLES` with the alias `a` in `from`. */
export const ARTICLE_COLUMNS = `${LISTED}, ${coverColumn('a.cover')}`;

/**
 * The SQL expression for the ids of the photos and videos of an article that visitors must not see. This
 * includes removed files, which the read model does not contain. It does not include stock pictures, which a new
 * installation stores after its first articles. The expression requires `ARTICLES` with the alias `a` in the `from`
 * clause.
 */
export const HIDDEN_MEDIA_COLUMN = `array(
  select used.id from jsonb_array_elements_text(a.media_ids) as used (id)
    left join ${MEDIA_ITEMS.table} m on m.media_id = used.id
   where (m.media_id is null and used.id !~ '^demo-') or m.status = 'rejected'
      or ${isHeld('used.id')}) as hidden_media`;

/**
 * Creates the card of a published article, which is the form of the article in lists. The cover is null if the cover
 * picture was rejected or removed, or if a moderation case hides it.
 */
export function createArticleCard(row: ArticleRow): ArticleCard {
  const { slug, title, summary, language, state, city, tags } = row;
  const publishedAt = row.published_at ?? row.updated_at;
  const cover = createCoverView(row.cover, row.cover_media, false);
  return {
    slug,
    title,
    summary,
    language,
    state,
    city,
    tags: [...tags],
    cover: cover?.status === 'rejected' ? null : cover,
    readingMinutes: Math.max(1, Math.ceil(row.text_words / READING_words_per_minute)),
    publishedAt: publishedAt.toISOString(),
    updatedAt: (row.corrected_at ?? publishedAt).toISOString(),
  };
}

/**
 * Converts the cover picture of an article to the API format. Only staff receive a picture that a moderation case
 * hides.
 */
export function createCoverView(id: string | null, media: CoverRow | null, isStaff: boolean): PhotoView | null {
  if (id === null) return null;
  return { id, url: photoUrl(id), ...applyHold(media ?? createUnknownMedia(id), 'photo', isStaff) };
}
