import { AD_DETAILS, type Pool } from '@alpenglow/infra';
import type { Projection } from '@alpenglow/projectors';
import { generatedAd } from '../launcher/seed/demo-ads.ts';
import { createIndexes, vacuumTables } from '../projectors/src/tables.ts';
import { recordedAd, findProjection, insertPostedAds } from '../tests/support/posted-ads.ts';
import { randomNumbers } from '../tests/support/random.ts';

/** Number of different words that are added to the descriptions of generated ads. */
const ADDED_WORDS = 60_000;
/** Number of added words per description. */
const ADDED_PER_AD = 12;
const TABLES = ['ad_cards', 'ad_details'];
const CONSONANTS = 'bcdfghjklmnprstvz';
const VOWELS = 'aeiou';

/** Returns an added word by its rank, the most frequent word first. Different ranks have different words. */
export function addedWord(rank: number): string {
  // Consecutive ranks get very different words, because the multiplication permutes the numbers.
  let rest = (rank * 7_368_787) % 614_125;
  let word = '';
  for (let syllable = 0; syllable < 3; syllable += 1) {
    word += `${CONSONANTS[rest % 17] ?? ''}${VOWELS[Math.floor(rest / 17) % 5] ?? ''}`;
    rest = Math.floor(rest / 85);
  }
  return `${word}${CONSONANTS[rank % 17] ?? ''}`;
}

/**
 * Writes the generated ads with the numbers from `from` to `to` into the read models of a running product, without
 * events. Each description gets words of a large vocabulary, whose frequencies follow Zipf's law.
 */
export async function insertAds(pool: Pool, from: number, to: number): Promise<void> {
  for (const name of TABLES) {
    const projection = findProjection(name);
    await dropIndexes(pool, projection);
    const client = await pool.connect();
    try {
      await insertPostedAds(client, projection, createEvents(from, to));
      await client.query('begin');
      await createIndexes(client, projection, 'live');
      await client.query('commit');
      await vacuumTables(client, projection, 'live');
    } finally {
      client.release();
    }
  }
}

/** Returns true if the read models already contain this number of ads. */
export async function hasAds(pool: Pool, ads: number): Promise<boolean> {
  const { rows } = await pool.query<{ count: string }>(`select count(*) from ${AD_DETAILS.table}`);
  return Number(rows[0]?.count) === ads;
}

/** Drops all indexes that are not part of a constraint, so that the rows are inserted faster. */
async function dropIndexes(pool: Pool, { name, tallies = [] }: Projection): Promise<void> {
  const { rows } = await pool.query<{ index: string }>(
    `select i.indexrelid::regclass::text as index from pg_index i
      where i.indrelid = any($1::regclass[])
        and not exists (select from pg_constraint c where c.conindid = i.indexrelid)`,
    [[name, ...tallies.map((tally) => tally.name)].map((table) => `rm.${table}`)],
  );
  for (const { index } of rows) await pool.query(`drop index ${index}`);
}

function* createEvents(from: number, to: number) {
  const now_ms = Date.now();
  for (let number = from; number < to; number += 1) {
    const { fields, age_ms } = generatedAd(number);
    const random = randomNumbers(number);
    const words = Array.from({ length: ADDED_PER_AD }, () => addedWord(Math.floor(ADDED_WORDS ** random())));
    // Accounts are in no particular order, as in the product, where their ids are hashes.
    const id = `${((number * 2_654_435_761) % 4_294_967_296).toString(16).padStart(8, '0')}-${number}`;
    const description = `${fields.description} ${words.join(' ')}.`;
    yield recordedAd(id, new Date(now_ms - age_ms).toISOString(), { ...fields, description });
  }
}
