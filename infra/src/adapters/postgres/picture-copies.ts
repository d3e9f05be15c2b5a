import { areSimilar, searchedKeysOf, STOCK_OWNER_ID, toHashWords, type HashWords } from '@alpenglow/domain';
import type { Pool } from 'pg';
import { AD_CARDS, ARTICLES, MEDIA_ITEMS, TAKEN_DOWN_PICTURES } from '../../read-models/index.ts';

/** The maximum number of rows with an equal key that a search reads at once. */
const PAGE = 20_000;

/** A photo or video that is a copy of another one, and everything that shows it. */
export interface PhotoCopy {
  readonly mediaId: string;
  readonly ownerId: string;
  /** The ids of the ads that show it. */
  readonly adIds: readonly string[];
  /** The slugs of the articles, also of drafts, that show it as cover or in the text. */
  readonly articleSlugs: readonly string[];
}

/** All known copies of a picture. Threads have no pictures. */
export interface KnownCopies {
  /** Photos and videos in ads and articles, and uploads that nothing shows yet, in the order of their media ids. */
  readonly photos: readonly PhotoCopy[];
  /** The identity checks with a copy among their stored pictures. */
  readonly identityChecks: readonly { readonly checkId: string; readonly accountId: string }[];
}

/** Finds copies of pictures and videos by perceptual hashes and exact digests, in the read models (decision 0118). */
export type PictureCopies = ReturnType<typeof createPictureCopies>;

export function createPictureCopies(pool: Pool) {
  /**
   * Returns the rows of a read model of which a hash is similar to one of the searched hashes. `columns` are SQL
   * expressions, one of them with the name `id` and the primary key, and one with the name `hashes` and an array of
   * hashes. The rows with an equal key are read in pages, so any number is possible.
   */
  async function findSimilar<Row extends { readonly id: string; readonly hashes: readonly string[] }>(
    readModel: string,
    columns: string,
    searched: readonly HashWords[],
  ): Promise<readonly Row[]> {
    if (searched.length === 0) return [];
    const keys = searchedKeysOf(searched);
    const isSimilar = (hash: string) => {
      const words = toHashWords(hash);
      return searched.some((candidate) => areSimilar(candidate, words));
    };
    const similar: Row[] = [];
    for (let after = ''; ; ) {
      // Without `materialized`, the database might read all rows in the order of their ids instead of using the keys.
      const { rows } = await pool.query<Row>({
        name: `similar-${readModel}`,
        text: `with found as materialized (select ${columns} from rm.${readModel} where hash_keys ?| $1)
               select * from found where id > $2 order by id limit ${PAGE}`,
        values: [keys, after],
      });
      similar.push(...rows.filter(({ hashes }) => hashes.some(isSimilar)));
      after = rows.at(-1)?.id ?? after;
      if (rows.length < PAGE) return similar;
    }
  }

  /** Returns the ids of the rows of a read model that have one of the digests. `idColumn` is the primary key. */
  async function findIdentical(
    readModel: string,
    idColumn: string,
    digests: readonly string[],
  ): Promise<readonly string[]> {
    if (digests.length === 0) return [];
    const { rows } = await pool.query<{ id: string }>({
      name: `identical-${readModel}`,
      text: `select ${idColumn} as id from rm.${readModel} where digests ?| $1 order by 1`,
      values: [digests],
    });
    return rows.map(({ id }) => id);
  }

  /**
   * Finds the copies of a picture or video in ads and articles, and uploads that nothing shows yet, without stock
   * pictures and without the pictures of identity checks. See `find`.
   */
  async function findFiles(searched: readonly HashWords[], digests: readonly string[]): Promise<readonly PhotoCopy[]> {
    const similar = await findSimilar<{ readonly id: string; readonly hashes: readonly string[] }>(
      'media_items',
      'media_id as id, array[hash] as hashes',
      searched,
    );
    const found = [...similar.map(({ id }) => id), ...(await findIdentical('media_items', 'media_id', digests))];
    if (found.length === 0) return [];
    const { rows } = await pool.query<PhotoCopy>({
      name: 'photo-copies',
      text: `select m.media_id as "mediaId", m.owner_id as "ownerId",
                    array(select c.ad_id from ${AD_CARDS.table} c
                           where c.account_id = m.owner_id
                             and (c.photos ? m.media_id or c.video = m.media_id) order by 1) as "adIds",
                    array(select a.slug from ${ARTICLES.table} a where a.media_ids ? m.media_id order by 1)
                      as "articleSlugs"
               from ${MEDIA_ITEMS.table} m
              where m.media_id = any($1) and m.status = 'ready' and m.owner_id <> $2
              order by m.media_id`,
      values: [found, STOCK_OWNER_ID],
    });
    return rows;
  }

  return {
    findFiles,

    /**
     * Checks whether a picture or video is a copy of one that was taken down, other than the one with the id `except`:
     * similar, or with one of these exact digests.
     */
    async isTakenDown(searched: readonly HashWords[], digests: readonly string[], except?: string): Promise<boolean> {
      const identical = await findIdentical('taken_down_pictures', 'picture_id', digests);
      if (identical.some((id) => id !== except)) return true;
      const similar = await findSimilar('taken_down_pictures', 'picture_id as id, array[hash] as hashes', searched);
      return similar.some(({ id }) => id !== except);
    },

    /**
     * Finds all known copies of a picture or video on this site, except stock pictures. `searched` are the
     * hashes of the picture with which copies are searched for (`toSearchHashes`), and `digests` the exact digests of
     * its files. The read models may lag behind the events.
     */
    async find(searched: readonly HashWords[], digests: readonly string[]): Promise<KnownCopies> {
      const checks = await findSimilar<{
        readonly id: string;
        readonly accountId: string;
        readonly hashes: readonly string[];
      }>('identity_pictures', 'check_id as id, account_id as "accountId", hashes', searched);
      return {
        photos: await findFiles(searched, digests),
        identityChecks: checks.map(({ id, accountId }) => ({ checkId: id, accountId })),
      };
    },

    /** Returns those of these pictures that are taken down, with their hashes and digests. */
    async findTakenDown(
      pictureIds: readonly string[],
    ): Promise<readonly { readonly pictureId: string; readonly hash: string; readonly digests: readonly string[] }[]> {
      const { rows } = await pool.query<{ pictureId: string; hash: string; digests: readonly string[] }>({
        name: 'taken-down-pictures',
        text: `select picture_id as "pictureId", hash, digests from ${TAKEN_DOWN_PICTURES.table}
                where picture_id = any($1) order by picture_id`,
        values: [pictureIds],
      });
      return rows;
    },

    /**
     * Returns up to `limit` pictures that were taken down after the picture `after` and before `before`, the earliest
     * first. Without `after`, begins with the first one.
     */
    async listTakenDown(
      after: { readonly at: string; readonly pictureId: string } | null,
      before: Date,
      limit: number,
    ): Promise<readonly { readonly pictureId: string; readonly at: string }[]> {
      const { rows } = await pool.query<{ pictureId: string; at: string }>({
        name: 'taken-down-after',
        text: `select picture_id as "pictureId", taken_down_at::text as at from ${TAKEN_DOWN_PICTURES.table}
                where (taken_down_at, picture_id) > ($1::timestamptz, $2) and taken_down_at < $3
                order by taken_down_at, picture_id limit $4`,
        values: [after?.at ?? '-infinity', after?.pictureId ?? '', before.toISOString(), limit],
      });
      return rows;
    },
  };
}
