import { STOCK_OWNER_ID, type MediaKind } from '@alpenglow/domain';
import type { Pool } from 'pg';

/**
 * A photo or video that is unprocessed or unused according to the read models. The read models may lag behind the
 * events, so callers must check the events before they remove anything.
 */
interface StrayMedia {
  readonly mediaId: string;
  readonly ownerId: string;
  readonly kind: MediaKind;
}

/** A photo or video that is not processed yet, although it was uploaded some time ago. */
export interface UnprocessedMedia extends Omit<StrayMedia, 'ownerId'> {
  /** The id of the event that recorded the upload. The background job that processes the upload has the same id. */
  readonly uploadEventId: string;
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
               from rm.media_items m
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
     * Returns a page of the photos and videos that were uploaded before `before` and are not processed yet. A page
     * contains at most `limit` items after the item `after`.
     */
    async findUnprocessedPage(
      before: Date,
      { after, limit }: { readonly after: UnprocessedMedia | null; readonly limit: number },
    ): Promise<readonly UnprocessedMedia[]> {
      const { rows } = await pool.query<UnprocessedMedia>({
        name: 'media-waiting',
        text: `select m.media_id as "mediaId", m.kind, m.upload_event_id as "uploadEventId" from rm.media_items m
                where m.status = 'processing' and m.owner_id <> $1 and m.uploaded_at < $2
                  and ($3::text is null or m.media_id > $3)
                order by m.media_id limit $4`,
        values: [STOCK_OWNER_ID, before.toISOString(), after?.mediaId ?? null, limit],
      });
      return rows;
    },
    /**
     * Returns the processed photos and videos that were uploaded before `before` and are not used. A photo or video is
     * used if it is in the ad of its owner, or if it is the cover or in the text of an article, even of a draft.
     */
    findUnused: (before: Date): Promise<readonly StrayMedia[]> =>
      find(
        'media-unused',
        `m.status = 'ready'
         and not exists (select from rm.ad_cards c
                          where c.account_id = m.owner_id and (c.photos ? m.media_id or c.video = m.media_id))
         and not exists (select from rm.articles a where a.cover = m.media_id or strpos(a.body, m.media_id) > 0)`,
        before,
      ),
  };
}
