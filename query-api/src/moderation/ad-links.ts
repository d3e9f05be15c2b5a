import { MAX_HASH_BITS_APART } from '@alpenglow/domain';
import { AD_CARDS, AD_LINKS, MEDIA_ITEMS, type Pool } from '@alpenglow/infra';

/** An ad of another account with the same phone number or a similar photo, which may belong to the same person. */
export interface AdLink {
  readonly adId: string;
  readonly title: string;
  readonly ownerId: string;
  readonly by: readonly ('phone' | 'photo')[];
  readonly isHidden: boolean;
}

const MAX_LINKS = 50;

/**
 * The SQL query that finds ads of other accounts with the same phone number or a similar picture. Pictures with similar
 * hashes count as the same picture (decision 0118). Stock pictures are not found, because no account has uploaded them,
 * and neither are pictures with too few features, which have no keys. The results for phone numbers and for pictures
 * are limited before the join, because thousands of accounts may share a phone number or a picture.
 */
const LINKS = `with phones as (
    select other.account_id, other.ad_id, 'phone' as by
    from ${AD_LINKS.table} own join ${AD_LINKS.table} other on other.phone_digits = own.phone_digits
    where own.account_id = $1 and other.account_id <> $1 limit ${MAX_LINKS}),
  own_photos as materialized (
    select hash, array(select jsonb_array_elements_text(hash_keys)) as keys from ${MEDIA_ITEMS.table}
    where owner_id = $1 and hash is not null),
  photos as (
    select c.account_id, c.ad_id, 'photo' as by
    from own_photos photo join ${MEDIA_ITEMS.table} other on other.hash_keys ?| photo.keys
      and bit_count(('x' || photo.hash)::bit(256) # ('x' || other.hash)::bit(256)) <= ${MAX_HASH_BITS_APART}
    join ${AD_CARDS.table} c on c.account_id = other.owner_id and c.photos ? other.media_id
    where other.owner_id <> $1
    limit ${MAX_LINKS}),
  found as (select * from phones union all select * from photos)
  select f.ad_id as "adId", c.title, f.account_id as "ownerId",
    array_agg(distinct f.by order by f.by) as by, c.is_hidden as "isHidden"
  from found f join ${AD_CARDS.table} c on c.account_id = f.account_id and c.ad_id = f.ad_id
  group by f.ad_id, c.title, f.account_id, c.is_hidden order by count(*) desc, f.ad_id limit ${MAX_LINKS}`;

/** Reads the ads of other accounts that have the same phone number as this account, or a similar photo. */
export async function readLinks(pool: Pool, accountId: string): Promise<readonly AdLink[]> {
  const { rows } = await pool.query<AdLink>({ name: 'ad-links', text: LINKS, values: [accountId] });
  return rows;
}
