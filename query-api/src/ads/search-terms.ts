import { QUERY_WORDS_MAX, TITLE_WORD, extractSearchWords, isCityNickname } from '@alpenglow/domain';
import { AD_WORDS, type ReadPool } from '@alpenglow/infra';
import { editDistance } from './edit-distance.ts';
import { nearbySpellings } from './spellings.ts';

/** A search word and the indexed words that match it. */
export interface Term {
  /** The word as it was typed. Null if no indexed word starts with it. */
  readonly typed: string | null;
  /** The indexed words that replace the typed word, or match in addition to it, because it may be a typing error. */
  readonly corrections: readonly string[];
  /** The indexed words that match. With `isPrefix`, only the typed word, which matches all words that begin with it. */
  readonly words: readonly string[];
  /** True if so many indexed words begin with the typed word that they are not listed. */
  readonly isPrefix: boolean;
  /**
   * The upper limit for the number of ads that contain any of the words. Infinity if so many words start with the
   * prefix that counting takes too long.
   */
  readonly adCount: number;
  /** The upper limit for the number of ads whose title or name contains any of the words. */
  readonly titleCount: number;
  /** The beginnings of words that the results highlight. They are the typed word, or the words that replace a typo. */
  readonly highlighted: readonly string[];
}

/** The number of ads with a prefix is counted only if fewer than this number of indexed words start with the prefix. */
const COUNTED_WORDS_MAX = 300;
/**
 * A prefix is replaced by the indexed words that start with it, if there are at most this number of words. The index
 * finds whole words faster than a prefix.
 */
const LISTED_WORDS_MAX = 8;
/** The minimum length of a word that may be the beginning of many words, and the maximum number of such words. */
const BEGINNING_MIN_characters = 2;
const BEGINNINGS_MAX = 3;
/**
 * The highest Unicode code point. All words that start with a prefix are between the prefix alone and the prefix
 * followed by this character.
 */
const HIGHEST_CODE_POINT = '\u{10ffff}';
const SIMILAR_CANDIDATES = 40;
/** Maximum number of indexed words that replace one mistyped word. */
const SIMILAR_MAX = 12;
/** A known word may be a typing error only if at most this number of ads contain it. */
const RARE_WORD_MAX_ads = 50;
/** The minimum length of a known word that may be a typing error. */
const RARE_WORD_MIN_letters = 4;
/**
 * A word that is known, but rare, is also searched in the spelling of a word that occurs in this many times as many
 * ads, because it is probably a typing error. The limit is lower for a word that is only the beginning of known words.
 */
const FREQUENT_CORRECTION = { word: 10, beginning: 3 };

interface KnownWord {
  readonly key: string;
  readonly count: number;
}

/** The indexed words that start with a word of a search text. */
interface WordRow {
  readonly word: string;
  /** The number of ads with exactly this word. */
  readonly exact: number;
  /** The number of indexed words that start with the word, at most `COUNTED_WORDS_MAX`. */
  readonly entries: number;
  readonly ads: string;
  readonly some: readonly string[] | null;
  readonly title_entries: number;
  readonly title_ads: string;
}

const startsWith = (word: string) => `key >= ${word} and key < ${word} || $2 limit ${COUNTED_WORDS_MAX}`;

const WORD_ROWS = `select w.word, coalesce((select count from ${AD_WORDS.table} where key = w.word), 0) as exact,
    found.entries, found.ads, found.some, titles.entries as title_entries, titles.ads as title_ads
  from unnest($1::text[]) with ordinality w (word, place),
    lateral (select count(*)::int as entries, coalesce(sum(count), 0) as ads,
                    (array_agg(key))[:${LISTED_WORDS_MAX}] as some
             from (select key, count from ${AD_WORDS.table} where ${startsWith('w.word')}) counted) found,
    lateral (select count(*)::int as entries, coalesce(sum(count), 0) as ads
             from (select count from ${AD_WORDS.table} where ${startsWith(`'${TITLE_WORD}' || w.word`)}) counted) titles
  order by w.place`;

/**
 * Converts a search text to search terms. An ad must match all terms. If no indexed word starts with a word of the
 * search text, this word is treated as a typing error and replaced by similar indexed words. A rare word is also
 * searched in the spelling of a similar word that is much more frequent. Returns null if no ad can match.
 */
export async function findTerms(reads: ReadPool, q: string): Promise<readonly Term[] | null> {
  const words = extractSearchWords(joinInitials(q), QUERY_WORDS_MAX);
  if (words.length === 0) return null;
  const { rows } = await reads.query<WordRow>({
    name: 'search-words',
    text: WORD_ROWS,
    values: [words, HIGHEST_CODE_POINT],
  });
  const terms: Term[] = [];
  const beginnings = selectBeginnings(rows);
  // One word after the other, so that a search with many unknown words does not occupy many connections.
  for (const row of rows) {
    if (row.exact > 0 && isCityNickname(row.word)) {
      // `la` means Los Angeles, and not each word that begins with it.
      terms.push(await createWholeWord(reads, row));
      continue;
    }
    if (isBroad(row) && !beginnings.has(row)) {
      if (row.exact > 0) terms.push(await createWholeWord(reads, row));
      continue;
    }
    const term = await createTerm(reads, row);
    if (!term) return null;
    terms.push(term);
  }
  return terms;
}

/** Initials with dots, such as `L.A.` or `N.Y.C`. */
const INITIALS = /(?<![\p{L}\p{N}])(?:\p{L}\.){1,3}\p{L}(?![\p{L}\p{N}])\.?/gu;

const joinInitials = (q: string) => q.replaceAll(INITIALS, (initials) => initials.replaceAll('.', ''));

/** Returns true if so many indexed words begin with the word that a search for them is expensive. */
const isBroad = ({ entries, some }: WordRow) => entries > LISTED_WORDS_MAX || (some === null && entries > 0);

/**
 * Selects the words that may match as the beginnings of many other words (R-17.16). These are the last ones, because
 * people type the last word incompletely. If no word of the search is complete, at least one is selected.
 */
function selectBeginnings(rows: readonly WordRow[]): ReadonlySet<WordRow> {
  const broad = rows.filter(isBroad);
  const selected = broad.filter(({ word }) => [...word].length >= BEGINNING_MIN_characters).slice(-BEGINNINGS_MAX);
  const hasOther = selected.length > 0 || rows.some((row) => !isBroad(row) || row.exact > 0);
  return new Set(hasOther ? selected : broad.slice(-1));
}

/** Returns the search term for a word that matches only as a whole. */
async function createWholeWord(reads: ReadPool, { word, exact }: WordRow): Promise<Term> {
  return {
    typed: word,
    corrections: [],
    words: [word],
    isPrefix: false,
    adCount: exact,
    titleCount: await countTitles(reads, [word]),
    highlighted: [word],
  };
}

/** Returns the search term for a word of the search text, or null if no indexed word is similar to it. */
async function createTerm(reads: ReadPool, row: WordRow): Promise<Term | null> {
  const { word, entries } = row;
  if (entries === 0) {
    const corrections = await findSimilarWords(reads, word);
    if (corrections.length === 0) return null;
    const keys = corrections.map(({ key }) => key);
    const adCount = sumCounts(corrections);
    return {
      typed: null,
      corrections: keys,
      words: keys,
      isPrefix: false,
      adCount,
      titleCount: await countTitles(reads, keys),
      highlighted: keys,
    };
  }
  const isPrefix = isBroad(row);
  const adCount = entries === COUNTED_WORDS_MAX ? Infinity : Number(row.ads);
  const titleCount = row.title_entries === COUNTED_WORDS_MAX ? Infinity : Number(row.title_ads);
  const term = { typed: word, words: row.some ?? [word], isPrefix, adCount, titleCount };
  const corrections = isPrefix ? [] : await findFrequentCorrections(reads, row);
  if (corrections.length === 0)
    return { ...term, words: isPrefix ? [word] : term.words, corrections: [], highlighted: [word] };
  const keys = corrections.map(({ key }) => key);
  return {
    ...term,
    words: [...new Set([...term.words, ...keys])],
    corrections: keys,
    adCount: adCount + sumCounts(corrections),
    titleCount: titleCount + (await countTitles(reads, keys)),
    highlighted: [word, ...keys],
  };
}

/** Returns much more frequent words that differ from a known word by one typing error. */
async function findFrequentCorrections(reads: ReadPool, { word, exact, ads }: WordRow): Promise<readonly KnownWord[]> {
  const found = Number(ads);
  if (found > RARE_WORD_MAX_ads || [...word].length < RARE_WORD_MIN_letters) return [];
  const minimum = found * (exact > 0 ? FREQUENT_CORRECTION.word : FREQUENT_CORRECTION.beginning);
  const similar = await readCounts(reads, nearbySpellings(word));
  return selectMostFrequent(similar.filter(({ key, count }) => count >= minimum && !key.startsWith(word)));
}

/** Returns the indexed words that are most similar to a word that is not indexed. */
async function findSimilarWords(reads: ReadPool, word: string): Promise<readonly KnownWord[]> {
  const allowed = maxTypos(word);
  if (allowed === 0) return [];
  const withOneTypo = await readCounts(reads, nearbySpellings(word));
  if (withOneTypo.length > 0) return selectMostFrequent(withOneTypo);
  const { rows } = await reads.query<KnownWord>({
    name: 'search-similar',
    text: `select key, count from rm.similar_words('${AD_WORDS.table}'::regclass, $1, $2)`,
    values: [word, SIMILAR_CANDIDATES],
  });
  const distances = rows.map((known) => ({ known, distance: editDistance(known.key, word) }));
  const nearest = Math.min(...distances.map(({ distance }) => distance));
  if (nearest > allowed) return [];
  return selectMostFrequent(distances.filter(({ distance }) => distance === nearest).map(({ known }) => known));
}

function selectMostFrequent(words: readonly KnownWord[]): readonly KnownWord[] {
  return words.toSorted((one, other) => other.count - one.count).slice(0, SIMILAR_MAX);
}

async function readCounts(reads: ReadPool, keys: readonly string[]): Promise<readonly KnownWord[]> {
  const { rows } = await reads.query<KnownWord>({
    name: 'search-word-counts',
    text: `select key, count from ${AD_WORDS.table} where key = any($1)`,
    values: [keys],
  });
  return rows;
}

async function countTitles(reads: ReadPool, words: readonly string[]): Promise<number> {
  return sumCounts(
    await readCounts(
      reads,
      words.map((word) => TITLE_WORD + word),
    ),
  );
}

function sumCounts(words: readonly KnownWord[]): number {
  return words.reduce((sum, { count }) => sum + count, 0);
}

/**
 * Converts search terms to a Postgres `tsquery`. The words need no escaping, because they contain only letters and
 * digits.
 */
export function createTsquery(terms: readonly Term[]): string {
  return terms.map((term) => matchAny(term, '')).join(' & ');
}

/** Returns the `tsquery` for ads that have at least one of the terms in the title or the name. */
export function createTitleTsquery(terms: readonly Term[]): string {
  return `(${terms.map((term) => matchAny(term, TITLE_WORD)).join(' | ')})`;
}

function matchAny({ words, isPrefix }: Term, prefix: string): string {
  return `(${words.map((word) => `'${prefix}${word}'${isPrefix ? ':*' : ''}`).join(' | ')})`;
}

/**
 * Returns the maximum number of typing errors that are corrected in a word. This number is lower for short words,
 * because changing one letter of a short word often results in another valid word.
 */
function maxTypos(word: string): number {
  const length = [...word].length;
  if (length < 3) return 0;
  return length < 6 ? 1 : 2;
}
