import type { AdCard } from '@alpenglow/domain';
import { AD_CARDS, type Pool } from '@alpenglow/infra';
import { CARD_COLUMNS, createAdCard, type CardRow } from './card-view.ts';

/**
 * Reads the ad cards with the given ids. The returned map omits ads that do not exist. With `asOwner`, hidden ads and
 * rejected photos and videos are included.
 */
export async function readCards(
  pool: Pool,
  adIds: readonly string[],
  { asOwner = false } = {},
): Promise<ReadonlyMap<string, AdCard>> {
  if (adIds.length === 0) return new Map();
  const { rows } = await pool.query<CardRow>({
    name: 'ad-cards-by-id',
    text: `select ${CARD_COLUMNS} from ${AD_CARDS.table} c where c.ad_id = any($1) and (not c.is_hidden or $2)`,
    values: [adIds, asOwner],
  });
  return new Map(rows.map((row) => [row.ad_id, createAdCard(row, asOwner)]));
}
