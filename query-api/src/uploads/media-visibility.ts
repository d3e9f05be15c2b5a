import { ACCOUNTS, AD_CARDS, ARTICLES, MEDIA_ITEMS } from '@alpenglow/infra';
import { LRUCache } from 'lru-cache';
import type { Dependencies } from '../dependencies.ts';
import { holdOf, isHeld } from './holds.ts';
import { createReadModelFreshness } from './read-model-freshness.ts';

/**
 * The time for which a public file counts as public without another query. Together with the cache lifetime of the
 * responses and the lag of the read models, it delays the effect of a decision by less than 5 s.
 */
const PUBLIC_FOR_ms = 1_000;
const MAX_CACHED = 10_000;
/** The read models that decide whether a file is public. */
export const MEDIA_READ_MODELS = ['media_items', 'accounts', 'ad_cards', 'articles', 'moderation_cases'];

/** Decides whether visitors may load a photo or video. */
export type MediaVisibility = ReturnType<typeof createMediaVisibility>;

/**
 * A file is public while a visible ad of its uploader or a published article shows it, and no moderation case about the
 * file hides it. An ad of a later account with the same id does not make a file public. The read
 * models decide, so every process agrees. If they lag by more than 2 s, for example because the projectors do not run,
 * they may lack a decision. All functions then wait for up to 6 s and throw UNAVAILABLE. They do not know stock
 * pictures, which are always public, so callers must check `isStockPicture` first.
 */
export function createMediaVisibility({ pool, store, progress }: Dependencies<'pool' | 'store' | 'progress'>) {
  const freshness = createReadModelFreshness({ store, progress }, MEDIA_READ_MODELS);
  // Only positive results are cached, so that a new photo is visible as soon as its ad is posted.
  const known = new LRUCache<string, true>({ max: MAX_CACHED, ttl: PUBLIC_FOR_ms });
  const visibility = {
    /** Returns whether visitors may load the file. A positive result may be 1 s old. */
    async isPublic(mediaId: string): Promise<boolean> {
      await freshness.require();
      return known.has(mediaId) || visibility.isPublicNow(mediaId);
    },
    /** Returns whether visitors may load the file, according to the current read models. */
    async isPublicNow(mediaId: string): Promise<boolean> {
      await freshness.require();
      const { rowCount } = await pool.query({
        name: 'media-is-public',
        text: `select from ${MEDIA_ITEMS.table} m
                where m.media_id = $1 and m.status <> 'rejected'
                  and (exists (select from ${AD_CARDS.table} c join ${ACCOUNTS.table} a using (account_id)
                                where c.account_id = m.owner_id and a.registered_at <= m.uploaded_at
                                  and not c.is_hidden
                                  and (c.photos ? m.media_id or c.video = m.media_id))
                    or exists (select from ${ARTICLES.table} a
                                where a.status = 'published' and a.media_ids ? m.media_id))
                  and not ${isHeld('m.media_id')}`,
        values: [mediaId],
      });
      if (rowCount !== 1) return false;
      known.set(mediaId, true);
      return true;
    },
    /** Checks whether a moderator has removed the file. Its owner then has no access either. */
    async isRemovedByDecision(mediaId: string): Promise<boolean> {
      await freshness.require();
      const { rowCount } = await pool.query({
        name: 'media-is-removed',
        text: `select where ${holdOf('$1::text')} = 'removed'`,
        values: [mediaId],
      });
      return rowCount === 1;
    },
  };
  return visibility;
}
