import { HOUSE_OWNER, type MediaKind } from '@alpenglow/domain';
import type { Pool } from 'pg';

/** A photo or video nobody may be waiting for, as the read models have it: they may lag, so whoever acts on it asks the events first. */
export interface StrayMedia {
  readonly mediaId: string;
  readonly ownerId: string;
  readonly kind: MediaKind;
}

/** A photo or video that should have had its verdict by now. */
export interface WaitingMedia {
  readonly mediaId: string;
  readonly kind: MediaKind;
  /** Of the event that says so, and of the job that follows from it. */
  readonly uploadEventId: string;
}

/** What those who look after photos and videos may ask the read models. Photos of the house are never among the answers. */
export interface MediaDirectory {
  /** Those uploaded before then that still have no verdict. */
  unjudged(before: Date): Promise<readonly StrayMedia[]>;
  /** The same, a page at a time: those that follow on `after`, at most `limit`. */
  waiting(
    before: Date,
    page: { readonly after: WaitingMedia | null; readonly limit: number },
  ): Promise<readonly WaitingMedia[]>;
  /** Those uploaded before then that can be shown, and that neither their owner's ad nor any article shows, as its cover or in its text; drafts count. */
  unused(before: Date): Promise<readonly StrayMedia[]>;
}

export function createMediaDirectory(pool: Pool): MediaDirectory {
  const find = async (name: string, condition: string, before: Date) => {
    const { rows } = await pool.query<StrayMedia>({
      name,
      text: `select m.media_id as "mediaId", m.owner_id as "ownerId", m.kind from rm.media_items m where m.owner_id <> $1 and m.uploaded_at < $2 and ${condition}`,
      values: [HOUSE_OWNER, before.toISOString()],
    });
    return rows;
  };
  return {
    unjudged: (before) => find('media-unjudged', `m.status = 'processing'`, before),
    async waiting(before, { after, limit }) {
      const { rows } = await pool.query<WaitingMedia>({
        name: 'media-waiting',
        text: `select m.media_id as "mediaId", m.kind, m.upload_event_id as "uploadEventId" from rm.media_items m
                where m.status = 'processing' and m.owner_id <> $1 and m.uploaded_at < $2
                  and ($3::text is null or m.media_id > $3)
                order by m.media_id limit $4`,
        values: [HOUSE_OWNER, before.toISOString(), after?.mediaId ?? null, limit],
      });
      return rows;
    },
    unused: (before) =>
      find(
        'media-unused',
        `m.status = 'ready' and not exists (select from rm.ad_cards c where c.account_id = m.owner_id and (c.photos ? m.media_id or c.video = m.media_id))
         and not exists (select from rm.articles a where a.cover = m.media_id or strpos(a.body, m.media_id) > 0)`,
        before,
      ),
  };
}
