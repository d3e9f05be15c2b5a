import type { Pool } from 'pg';

/** What the command side may ask the read model: only whether an ad is there, to tell "not found" from "not yours". */
export interface AdDirectory {
  exists(adId: string): Promise<boolean>;
}

export function createAdDirectory(pool: Pool): AdDirectory {
  return {
    async exists(adId) {
      const { rows } = await pool.query<{ found: boolean }>({
        name: 'ad-exists',
        text: 'select exists (select from rm.ad_cards where ad_id = $1) as found',
        values: [adId],
      });
      return rows[0]?.found === true;
    },
  };
}
