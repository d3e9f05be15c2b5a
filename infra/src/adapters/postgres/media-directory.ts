import { STOCK_OWNER_ID, type MediaKind } from '@alpenglow/domain';
import type { Pool } from 'pg';
import { AD_CARDS, ARTICLES, MEDIA_ITEMS, MODERATION_CASES } from '../../read-models/index.ts';

/**
 * A photo or video that is unprocessed or unused according to the read models. The read models may lag behind the
 * events, so callers must check the events before they remove anything.
 */
interface StrayMedia {
  readonly mediaId: string;
  readonly ownerId: string;
  readonly kind: MediaKind;
}

/**
 * Finds uploaded photos and videos that are unprocessed or unused, in the read models. Ignores stock pictures, which
 * belong to the site.
 */
export type MediaDirectory = ReturnType<typeof createMediaDirectory>;

export function createMediaDirectory(pool: Pool) {
  const find = async (name: string, condition: string, before: Date) => {
    const { rows } = await pool.query<StrayMedia>({
      name,
      text: `select m.media_id as "mediaId", m.owner_id as "ownerId", m.kind
               from ${MEDIA_ITEMS.table} m
              where m.owner_id <> $1 and m.uploaded_at < $2 and ${condition}`,
      values: [STOCK_OWNER_ID, before.toISOString()],
    });
    return rows;
  };
  return {
    /** Returns the photos and videos that were uploaded before `before` and are not processed yet. */
    findUnprocessed: (before: Date): Promise<readonly StrayMedia[]> =>
      find('media-unjudged', `m.status = 'processing'`, before),
    /**
     * Returns the processed photos and videos that were uploaded before `before` and are not used. A photo or video is
     * used if it is in the ad of its owner, or if it is the cover or in the text of an article, even of a draft.
     */
    findUnused: (before: Date): Promise<readonly StrayMedia[]> =>
      find(
        'media-unused',
        `m.status = 'ready'
         and not exists (select from ${AD_CARDS.table} c
                          where c.account_id = m.owner_id and (c.photos ? m.media_id or c.video = m.media_id))
         and not exists (select from ${ARTICLES.table} a where a.media_ids ? m.media_id)`,
        before,
      ),
    /** Returns the ids of the photos and videos that a moderator has hidden or removed, whose ads are still hidden. */
    async findDecidedInHiddenAds(): Promise<readonly string[]> {
      const { rows } = await pool.query<{ mediaId: string }>({
        name: 'media-decided-in-hidden-ads',
        text: `select h.subject_id as "mediaId"
                 from ${MODERATION_CASES.table} h join ${AD_CARDS.table} c on c.account_id = h.owner_id and c.is_hidden
                where h.kind = 'media' and h.is_holding and not h.is_open and h.decision->>'outcome' <> 'account_closed'
                  and (c.photos ? h.subject_id or c.video = h.subject_id)`,
      });
      return rows.map(({ mediaId }) => mediaId);
    },
    /** Returns the ids of the photos and videos that a moderation case removes. */
    async findRemovedByCase(): Promise<readonly string[]> {
      const { rows } = await pool.query<{ mediaId: string }>({
        name: 'media-removed-by-case',
        text: `select subject_id as "mediaId" from ${MODERATION_CASES.table}
                where kind = 'media' and is_holding and decision->>'outcome' <> 'hidden'`,
      });
      return rows.map(({ mediaId }) => mediaId);
    },
  };
}
