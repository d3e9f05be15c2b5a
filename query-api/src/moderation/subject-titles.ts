import {
  adPath,
  adSlug,
  articlePath,
  hideContactDetails,
  photoUrl,
  threadPath,
  toCaseId,
  type CaseId,
  type StatementView,
  type Subject,
} from '@alpenglow/domain';
import {
  ACCOUNTS,
  AD_CARDS,
  ARTICLES,
  COMMUNITY_POSTS,
  COMMUNITY_THREADS,
  MEDIA_ITEMS,
  type Pool,
  type Nullable,
  type RowOf,
  type SelectedRow,
} from '@alpenglow/infra';
import { isHeld } from '../uploads/holds.ts';

/** The current title and URL path of the content that a moderation case is about. */
export interface SubjectTitle {
  /** The title of the content or the beginning of its text. Null if the content was deleted. */
  readonly title: string | null;
  /** The page for visitors. Its owner can open it while the content is hidden, but staff may not. */
  readonly path: string | null;
  /**
   * The page on which staff see the content. It is the page for visitors, or a page of the admin panel if visitors do
   * not see the content. Null if the content was deleted, and for an article that is not published.
   */
  readonly staffPath: string | null;
  /** The reported photo or video. Null for other content, and if the file no longer exists. */
  readonly file: StatementView['file'];
  /** URL of the reported photo, of the first photo of the ad, or of the cover of the article. Null if there is none. */
  readonly picture: string | null;
}

const AD = AD_CARDS.select(['ad_id'], 'ad');
const THREAD = COMMUNITY_THREADS.select(['thread_id', 'country'], 't');

type TitleRow = Subject &
  Nullable<SelectedRow<typeof AD> & SelectedRow<typeof THREAD>> & {
    readonly title: string | null;
    /** True if visitors cannot see the content on the page of the ad. */
    readonly is_hidden_in_ad: boolean | null;
    readonly article_status: RowOf<typeof ARTICLES>['status'] | null;
    readonly post_number: number | null;
    readonly state: string | null;
    readonly city: string | null;
    readonly thread_title: string | null;
    readonly picture: string | null;
    readonly media_kind: RowOf<typeof MEDIA_ITEMS>['kind'] | null;
    readonly photo_number: number | null;
  };

/**
 * The SQL query that reads the titles of reported content. For a profile or a picture, the query also uses the ad of
 * the owner.
 */
const TITLES = `select s.kind, s.id,
    coalesce(ad.title, t.title, p.excerpt, r.title, case when s.kind = 'account' then a.display_name end) as title,
    ${AD}, ad.is_hidden or (s.kind = 'media' and ${isHeld('s.id')}) as is_hidden_in_ad,
    r.status as article_status, p.number as post_number,
    coalesce(ad.state, t.state) as state, coalesce(ad.city, t.city) as city,
    ${THREAD}, t.title as thread_title,
    case when s.kind = 'media' then case when m.kind = 'photo' then m.media_id end
         else coalesce(ad.photos->>0, r.cover) end as picture,
    m.kind as media_kind,
    (select min(photo.number)::int from jsonb_array_elements_text(ad.photos) with ordinality as photo (id, number)
      where photo.id = m.media_id) as photo_number
  from unnest($1::text[], $2::text[]) as s (kind, id)
  left join ${ACCOUNTS.table} a on s.kind = 'account' and a.account_id = s.id
  left join ${MEDIA_ITEMS.table} m on s.kind = 'media' and m.media_id = s.id
  left join ${AD_CARDS.table} ad on (s.kind = 'ad' and ad.ad_id = s.id)
    or (s.kind = 'account' and ad.account_id = s.id) or (s.kind = 'media' and ad.account_id = m.owner_id)
  left join ${COMMUNITY_POSTS.table} p on s.kind = 'post' and p.post_id = s.id
  left join ${COMMUNITY_THREADS.table} t on t.thread_id = case when s.kind = 'thread' then s.id else p.thread_id end
  left join ${ARTICLES.table} r on s.kind = 'article' and r.slug = s.id`;

/** Reads the titles of reported content. The keys of the returned map are the ids of the moderation cases. */
export async function readTitles(pool: Pool, subjects: readonly Subject[]): Promise<ReadonlyMap<CaseId, SubjectTitle>> {
  if (subjects.length === 0) return new Map();
  const { rows } = await pool.query<TitleRow>({
    name: 'subject-titles',
    text: TITLES,
    values: [subjects.map(({ kind }) => kind), subjects.map(({ id }) => id)],
  });
  return new Map(
    rows.map((row) => [
      toCaseId(row),
      {
        title: row.title === '' ? null : row.title,
        path: createPath(row),
        staffPath: createStaffPath(row),
        file: row.media_kind === null ? null : { kind: row.media_kind, number: row.photo_number },
        picture: row.picture === null ? null : photoUrl(row.picture),
      },
    ]),
  );
}

function createPath({
  kind,
  id,
  title,
  ad_id,
  state,
  city,
  thread_id,
  country,
  thread_title,
}: TitleRow): string | null {
  if (kind === 'article') return title === null ? null : articlePath(id);
  if (state === null || city === null) return null;
  if (thread_id !== null && country !== null)
    return threadPath({ id: thread_id, country, state, city, title: thread_title ?? '' });
  return ad_id === null ? null : adPath({ id: ad_id, state, city, slug: adSlug(hideContactDetails(title ?? '')) });
}

/** Returns the page on which staff see the content. Moderators read hidden threads and posts on the public page. */
function createStaffPath(row: TitleRow): string | null {
  const { kind, ad_id, thread_id, is_hidden_in_ad, article_status, post_number } = row;
  if (kind === 'article') return article_status === 'published' ? createPath(row) : null;
  if (thread_id === null && ad_id !== null && is_hidden_in_ad) return `/admin/ads/${encodeURIComponent(ad_id)}`;
  const path = createPath(row);
  return path === null || post_number === null || post_number === 0
    ? path
    : `${path}?post=${post_number}#post-${post_number}`;
}
