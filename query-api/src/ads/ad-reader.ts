import { housePictureId, HIDDEN_AD_IDS, photoUrl, SOCIAL_NETWORKS, stateOf, type AdCard, type AdView, type Category, type PhotoView, type SocialMedia } from '@alpenglow/domain';
import type { Pool } from '@alpenglow/infra';
import { encodeCursor, type ListQuery } from './list-query.ts';

export interface AdPage {
  readonly cards: readonly AdCard[];
  readonly nextCursor: string | null;
  readonly total: number;
}

/** An ad with what only the server may know of it. */
export interface FoundAd {
  readonly ad: Omit<AdView, 'email' | 'isOwner'>;
  readonly accountId: string;
  readonly email: string | null;
  readonly revision: number;
}

export interface AdReader {
  list(query: ListQuery): Promise<AdPage>;
  /** An ad in full, as the account `askerId` may see it; null for a visitor. */
  find(adId: string, askerId: string | null): Promise<FoundAd | null>;
  /** The ads of one account, newest first. */
  ofAccount(accountId: string): Promise<readonly AdCard[]>;
}

interface CardRow {
  readonly ad_id: string;
  readonly title: string;
  readonly name: string;
  readonly category: Category;
  readonly state: string;
  readonly city: string;
  readonly price: string | null;
  readonly is_demo: boolean;
  readonly bump_count: number;
  readonly rating_sum: number;
  readonly review_count: number;
  readonly views: number;
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly last_bumped_at: Date;
  readonly photos: readonly string[];
  readonly media: readonly MediaRow[];
}

interface MediaRow {
  readonly media_id: string;
  readonly status: PhotoView['status'];
  readonly reason: string | null;
  readonly width: number;
  readonly height: number;
  readonly blur: string | null;
}

/** Columns of `rm.ad_details` that are answered as they are. */
const DETAILS = ['description', 'body', 'phone', 'reviews'] as const satisfies readonly (keyof AdView)[];

interface DetailRow extends CardRow, Pick<AdView, (typeof DETAILS)[number]> {
  readonly account_id: string;
  readonly revision: number;
  readonly social_media: SocialMedia | null;
  readonly email: string | null;
}

const CARD_COLUMNS = `c.ad_id, c.title, c.name, c.category, c.state, c.city, c.price, c.is_demo, c.bump_count, c.rating_sum, c.review_count,
  c.created_at, c.updated_at, c.last_bumped_at, c.photos,
  coalesce((select v.views from stats.ad_views v where v.ad_id = c.ad_id), 0)::int as views,
  coalesce((select jsonb_agg(jsonb_build_object('media_id', m.media_id, 'status', m.status, 'reason', m.reason, 'width', m.width, 'height', m.height, 'blur', m.blur))
            from rm.media_items m where m.media_id in (select jsonb_array_elements_text(c.photos))), '[]') as media`;

/** Reads ads from the read models. */
export function createAdReader(pool: Pool): AdReader {
  return {
    async list(query) {
      const values: unknown[] = [];
      const parameter = (value: unknown) => `$${values.push(value)}`;
      const where = [`c.ad_id <> all(${parameter(HIDDEN_AD_IDS)})`];
      if (query.state !== null) where.push(`c.state = ${parameter(query.state)}`);
      if (query.citySlug !== null) where.push(`c.city_slug = ${parameter(query.citySlug)}`);
      if (query.category !== null) where.push(`c.category = ${parameter(query.category)}`);
      if (query.q !== null) {
        for (const word of query.q.split(/\s+/u).slice(0, 8)) {
          const pattern = parameter(`%${word.replaceAll(/[\\%_]/gu, '\\$&')}%`);
          where.push(`(c.title || ' ' || c.name || ' ' || c.city) ilike ${pattern}`);
        }
      }
      const counted = pool.query<{ total: number }>({ text: `select count(*)::int as total from rm.ad_cards c where ${where.join(' and ')}`, values: [...values] });
      const sortedBy = query.sort === 'newest' ? 'c.created_at' : 'c.last_bumped_at';
      const page = [...where];
      if (query.cursor) page.push(`(${sortedBy}, c.ad_id) < (${parameter(query.cursor.at)}::timestamptz, ${parameter(query.cursor.adId)})`);
      const found = pool.query<CardRow>({
        text: `select ${CARD_COLUMNS} from rm.ad_cards c where ${page.join(' and ')} order by ${sortedBy} desc, c.ad_id desc limit ${parameter(query.limit + 1)}`,
        values,
      });
      const [{ rows: counts }, { rows }] = await Promise.all([counted, found]);
      const shown = rows.slice(0, query.limit);
      const last = shown.at(-1);
      const lastAt = last && (query.sort === 'newest' ? last.created_at : last.last_bumped_at);
      return {
        cards: shown.map((row) => cardOf(row)),
        nextCursor: rows.length > query.limit && last && lastAt ? encodeCursor({ at: lastAt.toISOString(), adId: last.ad_id }) : null,
        total: counts[0]?.total ?? 0,
      };
    },

    async find(adId, askerId) {
      const { rows } = await pool.query<DetailRow>({
        name: 'ad-find',
        text: `select ${CARD_COLUMNS}, c.account_id, c.revision, ${DETAILS.map((column) => `d.${column}`).join(', ')}, d.social_media, a.email
               from rm.ad_cards c join rm.ad_details d using (account_id) left join rm.accounts a using (account_id)
               where c.ad_id = $1 and d.ad_id = $1`,
        values: [adId],
      });
      const row = rows[0];
      if (!row) return null;
      const { account_id: accountId, revision, email } = row;
      const details = Object.fromEntries(DETAILS.map((column) => [column, row[column]])) as Pick<DetailRow, (typeof DETAILS)[number]>;
      return { ad: { ...cardOf(row, accountId === askerId), ...details, socialMedia: row.social_media ?? NO_SOCIAL_MEDIA }, accountId, email, revision };
    },

    async ofAccount(accountId) {
      const { rows } = await pool.query<CardRow>({
        name: 'ads-of-account',
        text: `select ${CARD_COLUMNS} from rm.ad_cards c where c.account_id = $1 order by c.created_at desc`,
        values: [accountId],
      });
      return rows.map((row) => cardOf(row, true));
    },
  };
}

const NO_SOCIAL_MEDIA = Object.fromEntries(SOCIAL_NETWORKS.map((network) => [network, null])) as SocialMedia;

/** The card as its owner, or as everybody else sees it: a rejected photo, and why, is the owner's business. */
function cardOf(row: CardRow, isOwner = false): AdCard {
  const known = new Map(row.media.map((one) => [one.media_id, one]));
  const all = row.photos.map((id): PhotoView => {
    const { status, reason, width, height, blur } = known.get(id) ?? { status: 'processing', reason: null, width: 0, height: 0, blur: null };
    return { id, url: photoUrl(id), status, reason, width, height, blur };
  });
  const shown = all.filter(({ status }) => status !== 'rejected');
  const media = isOwner ? all : shown;
  const photos = shown.length > 0 ? shown.map(({ url }) => url) : [photoUrl(housePictureId(1))];
  const rating = row.review_count === 0 ? 0 : Math.round((row.rating_sum / row.review_count) * 10) / 10;
  return {
    id: row.ad_id,
    title: row.title,
    name: row.name,
    category: row.category,
    state: row.state,
    city: row.city,
    location: `${row.city}, ${stateOf(row.state)?.code ?? row.state}`,
    price: row.price,
    image: photos[0] ?? null,
    photos,
    images: photos,
    media,
    video: null,
    verified: false,
    isOnline: true,
    isFeatured: false,
    isPremium: false,
    isActive: true,
    isDemo: row.is_demo,
    status: 'active',
    views: row.views,
    bumpCount: row.bump_count,
    rating,
    averageRating: rating,
    reviewCount: row.review_count,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
    lastBumpedAt: row.last_bumped_at.toISOString(),
  };
}
