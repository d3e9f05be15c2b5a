import { isStockPicture, STOCK_OWNER_ID, toCaseId } from '@alpenglow/domain';
import { LRUCache } from 'lru-cache';
import type { Dependencies } from '../dependencies.ts';

/**
 * The time for which a public file counts as public without another query. Together with the cache lifetime of the
 * responses and the lag of the read models, it delays the effect of a decision by less than 5 s.
 */
const PUBLIC_FOR_ms = 1_000;
const MAX_CACHED = 10_000;

const caseIdOf = (mediaId: string) => toCaseId({ kind: 'media', id: mediaId });

/** Decides whether visitors may load a photo or video. */
export type MediaVisibility = ReturnType<typeof createMediaVisibility>;

/**
 * A file is public while a visible ad of its owner or a published article shows it, and no moderation case about the
 * file hides it. Stock pictures are always public. The read models decide, so every process agrees.
 */
export function createMediaVisibility({ pool }: Dependencies<'pool'>) {
  // Only positive results are cached, so that a new photo is visible as soon as its ad is posted.
  const known = new LRUCache<string, true>({ max: MAX_CACHED, ttl: PUBLIC_FOR_ms });
  const visibility = {
    /** Returns whether visitors may load the file. A positive result may be 1 s old. */
    async isPublic(mediaId: string): Promise<boolean> {
      return isStockPicture(mediaId) || known.has(mediaId) || visibility.isPublicNow(mediaId);
    },
    /** Returns whether visitors may load the file, according to the current read models. */
    async isPublicNow(mediaId: string): Promise<boolean> {
      const { rowCount } = await pool.query({
        name: 'media-is-public',
        text: `select from rm.media_items m
                where m.media_id = $1 and m.status <> 'rejected'
                  and (m.owner_id = $2
                    or exists (select from rm.ad_cards c
                                where c.account_id = m.owner_id and not c.is_hidden
                                  and (c.photos ? m.media_id or c.video = m.media_id))
                    or exists (select from rm.articles a
                                where a.status = 'published'
                                  and (a.cover = m.media_id or strpos(a.body, m.media_id) > 0)))
                  and not exists (select from rm.moderation_cases where case_id = $3 and is_holding)`,
        values: [mediaId, STOCK_OWNER_ID, caseIdOf(mediaId)],
      });
      if (rowCount !== 1) return false;
      known.set(mediaId, true);
      return true;
    },
    /** Checks whether a moderator has removed the file. Its owner then has no access either. */
    async isRemovedByDecision(mediaId: string): Promise<boolean> {
      const { rowCount } = await pool.query({
        name: 'media-is-removed',
        text: `select from rm.moderation_cases
                where case_id = $1 and is_holding and decision->>'outcome' <> 'hidden'`,
        values: [caseIdOf(mediaId)],
      });
      return rowCount === 1;
    },
  };
  return visibility;
}
