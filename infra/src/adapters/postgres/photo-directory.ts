import { HOUSE_OWNER } from '@alpenglow/domain';
import type { Pool } from 'pg';

/** A photo nobody may be waiting for, as the read models have it: they may lag, so whoever acts on it asks the events first. */
export interface StrayPhoto {
  readonly mediaId: string;
  readonly ownerId: string;
}

/** A photo whose variants should have been made by now. */
export interface WaitingPhoto {
  readonly mediaId: string;
  /** Of the event that says so, and of the job that follows from it. */
  readonly uploadEventId: string;
}

/** What those who look after photos may ask the read models. Photos of the house are never among the answers. */
export interface PhotoDirectory {
  /** Photos uploaded before then that still have no verdict. */
  unjudged(before: Date): Promise<readonly StrayPhoto[]>;
  /** The same, a page at a time: those that follow on `after`, at most `limit`. */
  waiting(before: Date, page: { readonly after: WaitingPhoto | null; readonly limit: number }): Promise<readonly WaitingPhoto[]>;
  /** Photos uploaded before then that can be shown, and that their owner's ad does not show. */
  unused(before: Date): Promise<readonly StrayPhoto[]>;
}

export function createPhotoDirectory(pool: Pool): PhotoDirectory {
  const find = async (name: string, condition: string, before: Date) => {
    const { rows } = await pool.query<StrayPhoto>({
      name,
      text: `select m.media_id as "mediaId", m.owner_id as "ownerId" from rm.media_items m where m.owner_id <> $1 and m.uploaded_at < $2 and ${condition}`,
      values: [HOUSE_OWNER, before.toISOString()],
    });
    return rows;
  };
  return {
    unjudged: (before) => find('photos-unjudged', `m.status = 'processing'`, before),
    async waiting(before, { after, limit }) {
      const { rows } = await pool.query<WaitingPhoto>({
        name: 'photos-waiting',
        text: `select m.media_id as "mediaId", m.upload_event_id as "uploadEventId" from rm.media_items m
                where m.status = 'processing' and m.owner_id <> $1 and m.uploaded_at < $2
                  and ($3::text is null or m.media_id > $3)
                order by m.media_id limit $4`,
        values: [HOUSE_OWNER, before.toISOString(), after?.mediaId ?? null, limit],
      });
      return rows;
    },
    unused: (before) =>
      find('photos-unused', `m.status = 'ready' and not exists (select from rm.ad_cards c where c.account_id = m.owner_id and c.photos ? m.media_id)`, before),
  };
}
