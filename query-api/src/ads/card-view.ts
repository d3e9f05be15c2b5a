import {
  FALLBACK_PICTURE_IDS,
  ONLINE_WINDOW_ms,
  photoUrl,
  toAverageRating,
  findState,
  adSlug,
  CARD_TEXTS,
  hideContactDetails,
  hideContactDetailsInAd,
  pick,
  videoUrl,
  type AdCard,
  type PhotoView,
  type VideoView,
} from '@alpenglow/domain';
import { ACCOUNTS, MEDIA_ITEMS, AD_CARDS, type RowOf, type SelectedRow } from '@alpenglow/infra';
import { applyHold, createUnknownMedia, holdOf, type HoldableMedia } from '../uploads/holds.ts';

const CARD = AD_CARDS.select(
  [
    'ad_id',
    'category',
    'state',
    'city',
    ...CARD_TEXTS,
    'is_featured',
    'is_demo',
    'is_hidden',
    'bump_count',
    'rating_sum',
    'weight_sum',
    'review_count',
    'created_at',
    'updated_at',
    'last_bumped_at',
    'photos',
    'video',
  ],
  'c',
);

export interface CardRow extends SelectedRow<typeof CARD>, Pick<RowOf<typeof ACCOUNTS>, 'verified'> {
  readonly views: number;
  readonly age: number | null;
  readonly media: readonly MediaRow[];
  readonly video_media: VideoRow | null;
}

type MediaRow = HoldableMedia & Pick<RowOf<typeof MEDIA_ITEMS>, 'media_id'>;
type VideoRow = MediaRow & Pick<RowOf<typeof MEDIA_ITEMS>, 'duration_s' | 'content_type' | 'shortened_s'>;

/** The read models of `CARD_COLUMNS`. A card needs all of them: it omits files that it does not know. */
export const CARD_READ_MODELS = ['ad_cards', 'accounts', 'media_items', 'moderation_cases'] as const;

/**
 * The `MediaHold` of a photo or video `m` of the ad `c`. The id of an account is derived from its e-mail address, so an
 * ad can name a file that an earlier account with the same id has uploaded. Such a file counts as removed.
 * Demo ads show stock pictures, which belong to the site.
 */
const HOLD = `case when c.is_demo or (m.owner_id = c.account_id and exists (
    select from ${ACCOUNTS.table} a where a.account_id = c.account_id and a.registered_at <= m.uploaded_at))
  then ${holdOf('m.media_id')} else 'removed' end`;

/** The SQL expressions for the columns of a `CardRow`. They require `AD_CARDS` with the alias `c` in `from`. */
export const CARD_COLUMNS = `${CARD},
  coalesce((select v.views from stats.ad_views v where v.ad_id = c.ad_id), 0)::int as views,
  coalesce((select a.verified from ${ACCOUNTS.table} a where a.account_id = c.account_id), false) as verified,
  (select a.age from ${ACCOUNTS.table} a where a.account_id = c.account_id) as age,
  coalesce((select jsonb_agg(jsonb_build_object('media_id', m.media_id, 'status', m.status, 'reason', m.reason,
                                                'width', m.width, 'height', m.height, 'blur', m.blur,
                                                'hold', ${HOLD}))
            from ${MEDIA_ITEMS.table} m
           where m.media_id in (select jsonb_array_elements_text(c.photos))), '[]') as media,
  (select jsonb_build_object('media_id', m.media_id, 'status', m.status, 'reason', m.reason,
                             'width', m.width, 'height', m.height, 'blur', m.blur,
                             'duration_s', m.duration_s, 'content_type', m.content_type,
                             'shortened_s', m.shortened_s, 'hold', ${HOLD})
   from ${MEDIA_ITEMS.table} m where m.media_id = c.video) as video_media`;

/**
 * Creates the card of an ad, which is the form of the ad in lists. Only the owner receives rejected photos and videos
 * and the reasons for the rejections, and files that a moderation case hides. For the owner, a file
 * that a moderator has removed is rejected. Only the owner receives contact details in the texts of the ad.
 */
export function createAdCard(row: CardRow, isOwner = false): AdCard {
  const mediaById = new Map(row.media.map((item) => [item.media_id, item]));
  const allPhotos = row.photos.map((id): PhotoView => {
    const photo = applyHold(mediaById.get(id) ?? createUnknownMedia(id), 'photo', isOwner);
    const { status, reason, hold, width, height, blur } = photo;
    return { id, url: photoUrl(id), status, reason, hold, width, height, blur };
  });
  const shown = allPhotos.filter(({ status }) => status !== 'rejected');
  // `media` contains no fallback pictures, because a visitor could mistake one for a photo of the provider.
  const photos = shown.length > 0 ? shown.map(({ url }) => url) : FALLBACK_PICTURE_IDS.map(photoUrl);
  const video = createVideoView(row, isOwner);
  const rating = toAverageRating(row.rating_sum, row.weight_sum);
  const { title, name, price, ...otherTexts } = pick(row, CARD_TEXTS);
  const card: Omit<AdCard, 'slug'> = {
    id: row.ad_id,
    title,
    name,
    age: row.age,
    category: row.category,
    state: row.state,
    city: row.city,
    location: `${row.city}, ${findState(row.state)?.code ?? row.state}`,
    price,
    ...otherTexts,
    image: photos[0] ?? null,
    photos,
    images: photos,
    media: isOwner ? allPhotos : shown,
    video: video?.status === 'ready' ? video.url : null,
    videoMedia: isOwner || video?.status === 'ready' ? video : null,
    verified: row.verified,
    isOnline: Date.now() - row.updated_at.getTime() < ONLINE_WINDOW_ms,
    isFeatured: row.is_featured,
    isPremium: false,
    isActive: !row.is_hidden,
    isDemo: row.is_demo,
    status: row.is_hidden ? 'hidden' : 'active',
    views: row.views,
    bumpCount: row.bump_count,
    rating,
    averageRating: rating,
    reviewCount: row.review_count,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
    lastBumpedAt: row.last_bumped_at.toISOString(),
  };
  const view = isOwner ? card : hideContactDetailsInAd(card);
  return { ...view, slug: adSlug(isOwner ? hideContactDetails(card.title) : view.title) };
}

function createVideoView({ video: id, video_media }: CardRow, isOwner: boolean): VideoView | null {
  if (id === null) return null;
  const { status, reason, hold, width, height, duration_s, content_type, shortened_s } = applyHold(
    video_media ?? { ...createUnknownMedia(id), duration_s: 0, content_type: null, shortened_s: 0 },
    'video',
    isOwner,
  );
  return {
    id,
    url: videoUrl(id),
    status,
    reason,
    hold,
    width,
    height,
    duration: duration_s,
    contentType: content_type,
    shortenedBy: isOwner ? shortened_s : 0,
  };
}
