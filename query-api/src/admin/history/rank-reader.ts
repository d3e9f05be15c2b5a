import { toAdSnapshot, slugify, type AdSnapshot, type ResponseOf, type AdHistoryState } from '@alpenglow/domain';
import { AD_CARDS, AD_STANDINGS, type Nullable, type RowOf, type SelectedRow } from '@alpenglow/infra';
import type { Dependencies } from '../../dependencies.ts';

type AdRank = ResponseOf<'explainAdRank'>['data'];

const AD = AD_CARDS.select(['title'], 'c');
interface StandingRow
  extends Pick<RowOf<typeof AD_STANDINGS>, 'ad_id' | 'event_id' | 'event_type' | 'revision'>,
    Nullable<SelectedRow<typeof AD>> {
  readonly rank: string;
  readonly total: string;
  readonly is_featured: boolean;
  readonly moved_up_at: Date;
}

const AROUND = 3;

/**
 * The SQL query that reconstructs the list of ads in a city and category at the time `$1`. The query finds every ad
 * that was in the city at any time before. For each of these ads, the query takes the properties at the time `$1` and
 * the last event that moved the ad up. The result contains the visible ads near the ad `$6`, and the first ad of the
 * list.
 */
const LIST = `with candidates as (select distinct ad_id from ${AD_STANDINGS.table} where city_slug = $3 and at <= $1),
  known as (
    select s.ad_id,
      (array_agg(s.state order by s.revision desc) filter (where s.state is not null))[1] as state,
      (array_agg(s.city_slug order by s.revision desc) filter (where s.city_slug is not null))[1] as city_slug,
      (array_agg(s.category order by s.revision desc) filter (where s.category is not null))[1] as category,
      (array_agg(s.is_featured order by s.revision desc) filter (where s.is_featured is not null))[1] as is_featured,
      (array_agg(s.is_shown order by s.revision desc) filter (where s.is_shown is not null))[1] as is_shown
    from ${AD_STANDINGS.table} s join candidates using (ad_id)
    where s.event_type <> 'AdBumped' and s.at <= $1
    group by s.ad_id
  ),
  list as (
    select k.ad_id, k.is_featured, m.event_id, m.event_type, m.revision, m.sorted_at as moved_up_at,
      row_number() over (order by m.sorted_at desc, k.ad_id desc) as rank, count(*) over () as total
    from known k cross join lateral (
      select event_id, event_type, revision, sorted_at from ${AD_STANDINGS.table}
      where ad_id = k.ad_id and moves_up and at <= $1
      order by revision desc limit 1
    ) m
    where k.is_shown and k.state = $2 and k.city_slug = $3 and k.category = $4 and k.ad_id <> all($5)
  )
  select l.*, ${AD} from list l left join ${AD_CARDS.table} c using (ad_id)
  where l.rank between (select rank from list where ad_id = $6) - ${AROUND}
                   and (select rank from list where ad_id = $6) + ${AROUND}
     or l.rank = 1
  order by l.rank`;

/** Creates an object that explains the rank of an ad in the list of its city and category. */
export function createRankReader({ pool, hiddenAdIds }: Dependencies<'pool' | 'hiddenAdIds'>) {
  async function readList(
    adId: string,
    { state, city, category }: AdSnapshot,
    at: string,
  ): Promise<readonly StandingRow[]> {
    const { rows } = await pool.query<StandingRow>({
      name: 'history-ad-rank',
      text: LIST,
      values: [at, state, slugify(city), category, hiddenAdIds, adId],
    });
    return rows;
  }

  return {
    /**
     * Returns the rank of an ad in the list of its city and category, and the event that caused the rank. `at` is the
     * time of the rank in ISO 8601 format and UTC.
     */
    async explain(adId: string, history: AdHistoryState, at: string): Promise<AdRank> {
      const ad = toAdSnapshot(history);
      const status = determineStatus(adId, ad, hiddenAdIds);
      const rows = ad ? await readList(adId, ad, at) : [];
      const own = rows.find(({ ad_id }) => ad_id === adId);
      const rank = own ? Number(own.rank) : null;
      return {
        id: adId,
        at,
        status,
        state: ad?.state ?? null,
        city: ad?.city ?? null,
        category: ad?.category ?? null,
        rank,
        total: Number(rows[0]?.total ?? 0),
        // The query always returns the first ad of the list, because the total number is read from its row. This ad is
        // omitted here if it is not near the requested ad.
        standings:
          rank === null ? [] : rows.filter((row) => Math.abs(Number(row.rank) - rank) <= AROUND).map(createStanding),
        because: own
          ? { eventId: own.event_id, type: own.event_type, revision: own.revision, at: own.moved_up_at.toISOString() }
          : null,
      };
    },
  };
}

function determineStatus(adId: string, ad: AdSnapshot | null, hiddenAdIds: readonly string[]): AdRank['status'] {
  if (!ad) return 'not_posted';
  if (ad.status !== 'active') return ad.status;
  return hiddenAdIds.includes(adId) ? 'withheld' : 'listed';
}

function createStanding({ rank, ad_id, title, is_featured, moved_up_at }: StandingRow): AdRank['standings'][number] {
  return { rank: Number(rank), adId: ad_id, title, isFeatured: is_featured, lastBumpedAt: moved_up_at.toISOString() };
}
