import { HOUSE_OWNER } from '@alpenglow/domain';
import type { Pool } from 'pg';

/** A photo nobody may be waiting for, as the read models have it: they may lag, so whoever acts on it asks the events first. */
export interface StrayPhoto {
  readonly mediaId: string;
  readonly ownerId: string;
}

/** What the sweep of photos may ask the read models. Photos of the house are never among the answers. */
export interface PhotoDirectory {
  /** Photos uploaded before then that still have no verdict. */
  unjudged(before: Date): Promise<readonly StrayPhoto[]>;
  /** Photos uploaded before then that can be shown, and that their owner's ad does not show. */
  unused(before: Date): Promise<readonly StrayPhoto[]>;
}

export function createPhotoDirectory(pool: Pool): PhotoDirectory {
  const find = async (name: string, condition: string, before: Date) => {
    const { rows } = await pool.query<StrayPhoto>({
      name,
      text: `select m.media_id as "mediaId", m.owner_id as "ownerId"
               from rm.media_items m join es.events e on e.stream = 'media-' || m.media_id and e.revision = 0
              where m.owner_id <> $1 and (e.meta ->> 'at')::timestamptz < $2 and ${condition}`,
      values: [HOUSE_OWNER, before.toISOString()],
    });
    return rows;
  };
  return {
    unjudged: (before) => find('photos-unjudged', `m.status = 'processing'`, before),
    unused: (before) =>
      find('photos-unused', `m.status = 'ready' and not exists (select from rm.ad_cards c where c.account_id = m.owner_id and c.photos ? m.media_id)`, before),
  };
}
