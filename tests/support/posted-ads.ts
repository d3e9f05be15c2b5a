import type { AdContent, DomainEvent, RecordedDomainEvent } from '@alpenglow/domain';
import type { PoolClient } from '@alpenglow/infra';
import { applyEvent, PROJECTIONS, type Projection, type Row } from '@alpenglow/projectors';
import { adPosted } from '../../domain/test/listing/posted-ad.ts';
import { createTallyCollection } from '../../projectors/src/tallies.ts';

type AdPosted = Extract<DomainEvent, { readonly type: 'AdPosted' }>;

const BATCH_ads = 2_000;

/** Returns the stored event of an ad with these fields. `id` is the id of the account, and `ad-<id>` that of the ad. */
export function recordedAd(id: string, at: string, fields: AdContent): RecordedDomainEvent<AdPosted> {
  return {
    ...adPosted({ ...fields, accountId: id, adId: `ad-${id}`, isDemo: true }),
    id,
    version: 1,
    stream: { category: 'listing', id },
    revision: 0,
    position: '0',
    meta: { at },
  } as unknown as RecordedDomainEvent<AdPosted>;
}

/** Returns the projection of this build with this name. Throws if there is none. */
export function findProjection(name: string): Projection {
  const projection = PROJECTIONS.find((candidate) => candidate.name === name);
  if (!projection) throw new Error(`There is no projection ${name}`);
  return projection;
}

/**
 * Writes the rows of posted ads directly into a live read model and its counts. Trials and tests with many ads need no
 * events.
 */
export async function insertPostedAds(
  client: Pick<PoolClient, 'query'>,
  projection: Projection,
  events: Iterable<RecordedDomainEvent<AdPosted>>,
): Promise<void> {
  const counts = createTallyCollection(projection);
  const table = `rm.${projection.name}`;
  let rows = new Map<string, Row>();
  const save = async () => {
    await client.query(`insert into ${table} select * from json_populate_recordset(null::${table}, $1::json)`, [
      JSON.stringify([...rows.values()]),
    ]);
    counts.add(new Map(), rows);
    rows = new Map();
  };
  for (const event of events) {
    const row = applyEvent(projection, event, null);
    if (row) rows.set(event.data.accountId, row);
    if (rows.size === BATCH_ads) await save();
  }
  await save();
  await counts.save(client as PoolClient, 'live');
}
