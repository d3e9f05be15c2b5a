import { parse } from 'node:querystring';
import { AD_ID, DomainError, isPosition, withoutContact, type PageAd, type PageReads, type SitemapAd } from '@alpenglow/domain';
import type { Pool } from '@alpenglow/infra';
import type { ListAnswers } from '../ads/list-answers.ts';
import { CARD_COLUMNS, cardOf, type CardRow } from '../ads/card-view.ts';
import { beginningOf } from './excerpt.ts';

/** As much as search engines and shared links show. */
const EXCERPT_MAX = 155;
/** Of a description, whatever its length: enough for an excerpt after contact details are gone. */
const READ_characters = 600;

export interface PageReadDependencies {
  readonly pool: Pool;
  readonly lists: ListAnswers;
  readonly hiddenAdIds: readonly string[];
}

/** Reads what the first HTML and the sitemap need off the read models. Counts no view. */
export function createPageReads({ pool, lists, hiddenAdIds }: PageReadDependencies): PageReads {
  return {
    async answer(path) {
      const [address = '', search = ''] = path.split('?', 2);
      const make = address === '/api/ads' ? lists.list : address === '/api/ads/counts' ? lists.counts : null;
      if (!make) return null;
      try {
        const { body, position } = await make({ search, query: () => parse(search) });
        return { body: body.toString(), position: isPosition(position) ? position : null };
      } catch (error) {
        if (error instanceof DomainError && error.code === 'INVALID_FIELDS') return null;
        throw error;
      }
    },

    async ad(adId) {
      if (!AD_ID.test(adId)) return null;
      const { rows } = await pool.query<CardRow & { readonly beginning: string }>({
        name: 'page-ad',
        text: `select ${CARD_COLUMNS}, left(d.description, ${READ_characters}) as beginning
               from rm.ad_cards c join rm.ad_details d using (account_id) where c.ad_id = $1 and d.ad_id = $1`,
        values: [adId],
      });
      const row = rows[0];
      return row ? pageAdOf(row, !hiddenAdIds.includes(adId)) : null;
    },

    async sitemapAds(after, upTo, limit) {
      const { rows } = await pool.query<SitemapRow>({
        name: 'sitemap-ads',
        text: `select ad_id, title, state, city, updated_at from rm.ad_cards
               where ad_id > $1 and ($2::text is null or ad_id <= $2) and ad_id <> all($3) order by ad_id limit $4`,
        values: [after, upTo, hiddenAdIds, limit],
      });
      return rows.map(({ ad_id: id, title, state, city, updated_at: updatedAt }): SitemapAd => ({ id, title, state, city, updatedAt: updatedAt.toISOString() }));
    },

    async sitemapEnds(size) {
      const ends: string[] = [];
      for (let after: string | undefined = ''; after !== undefined; ) {
        const { rows }: { rows: { ad_id: string }[] } = await pool.query<{ ad_id: string }>({
          name: 'sitemap-end',
          // Off the index alone, a stretch at a time, so that no statement is long.
          text: 'select ad_id from rm.ad_cards where ad_id > $1 and ad_id <> all($2) order by ad_id offset $3 limit 1',
          values: [after, hiddenAdIds, size - 1],
        });
        after = rows[0]?.ad_id;
        if (after !== undefined) ends.push(after);
      }
      return ends;
    },
  };
}

interface SitemapRow {
  readonly ad_id: string;
  readonly title: string;
  readonly state: string;
  readonly city: string;
  readonly updated_at: Date;
}

function pageAdOf(row: CardRow & { readonly beginning: string }, isListed: boolean): PageAd {
  const { id, title, category, state, city, media, rating, reviewCount, updatedAt } = cardOf(row);
  const cover = media.find(({ status }) => status === 'ready');
  return {
    id,
    title,
    heading: withoutContact(title),
    excerpt: beginningOf(withoutContact(row.beginning), EXCERPT_MAX),
    category,
    state,
    city,
    cover: cover ? { id: cover.id, width_px: cover.width, height_px: cover.height } : null,
    rating,
    reviewCount,
    isListed,
    updatedAt,
  };
}
