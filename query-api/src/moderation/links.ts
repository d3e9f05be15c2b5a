import { HOUSE_OWNER } from '@alpenglow/domain';
import type { Pool } from '@alpenglow/infra';

/** An ad of another account that has something in common with the ads of this one. */
export interface AdLink {
  readonly adId: string;
  readonly title: string;
  readonly ownerId: string;
  readonly by: readonly ('phone' | 'photo')[];
  readonly isHidden: boolean;
}

const LINKS_SHOWN = 50;
/** So many of 64 bits may differ: another size or format turns one over now and then. With more, the indexes of `media_items` would not find them all. */
const HASH_BITS_APART = 3;

const quarterIs = (from: number) => `substr(other.hash, ${from}, 4) = substr(own.hash, ${from}, 4)`;
const LOOKS_THE_SAME = `other.hash is not null and (${[1, 5, 9, 13].map(quarterIs).join(' or ')})
      and bit_count(('x' || own.hash)::bit(64) # ('x' || other.hash)::bit(64)) <= ${HASH_BITS_APART}`;

/**
 * Pictures look the same where their hashes hardly differ. Those of the house are nobody's, and pictures of one colour (hash 0) all look the same. Each side is limited before it is joined, as a
 * number or a picture that thousands have would say nothing more by all of them.
 */
const LINKS = `with phones as (
    select other.account_id, other.ad_id, 'phone' as by from rm.ad_links own join rm.ad_links other on other.phone_digits = own.phone_digits
    where own.account_id = $1 and other.account_id <> $1 limit ${LINKS_SHOWN}),
  photos as (
    select c.account_id, c.ad_id, 'photo' as by from rm.media_items own join rm.media_items other on ${LOOKS_THE_SAME}
    join rm.ad_cards c on c.account_id = other.owner_id and c.photos ? other.media_id
    where own.owner_id = $1 and own.hash <> '0000000000000000' and other.owner_id <> $1 and other.owner_id <> '${HOUSE_OWNER}' limit ${LINKS_SHOWN}),
  found as (select * from phones union all select * from photos)
  select f.ad_id as "adId", c.title, f.account_id as "ownerId", array_agg(distinct f.by order by f.by) as by, c.is_hidden as "isHidden"
  from found f join rm.ad_cards c on c.account_id = f.account_id and c.ad_id = f.ad_id
  group by f.ad_id, c.title, f.account_id, c.is_hidden order by count(*) desc, f.ad_id limit ${LINKS_SHOWN}`;

/** Ads of other accounts with the same phone number, or with a photo that looks the same as one of this account's. */
export async function readLinks(pool: Pool, accountId: string): Promise<readonly AdLink[]> {
  const { rows } = await pool.query<AdLink>({ name: 'ad-links', text: LINKS, values: [accountId] });
  return rows;
}
