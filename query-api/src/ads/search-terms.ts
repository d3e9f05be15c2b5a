import { QUERY_WORDS_MAX, extractSearchWords } from '@alpenglow/domain';
import type { ReadPool } from '@alpenglow/infra';
import { editDistance } from './edit-distance.ts';

/** A search word and the indexed words that match it. */
export interface Term {
  readonly words: readonly string[];
  /** True if `words` contains only a prefix, because too many indexed words start with it. */
  readonly isPrefix: boolean;
  /**
   * The upper limit for the number of ads that contain any of the words. Infinity if so many words start with the
   * prefix that counting takes too long.
   */
  readonly adCount: number;
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
/**
 * The highest Unicode code point. All words that start with a prefix are between the prefix alone and the prefix
 * followed by this character.
 */
const HIGHEST_CODE_POINT = '\u{10ffff}';
const SIMILAR_CANDIDATES = 40;
const SIMILAR_MAX = 5;

/**
 * Converts a search text to search terms. An ad must match all terms. If no indexed word starts with a word of the
 * search text, this word is treated as a typing error and replaced by similar indexed words. Returns null if no ad can
 * match.
 */
export async function findTerms(reads: ReadPool, q: string): Promise<readonly Term[] | null> {
  const words = extractSearchWords(q, QUERY_WORDS_MAX);
  if (words.length === 0) return null;
  const { rows } = await reads.query<{ word: string; entries: number; ads: string; some: readonly string[] | null }>({
    name: 'search-words',
    text: `select w.word, found.entries, found.ads, found.some
           from unnest($1::text[]) with ordinality w (word, place),
                lateral (select count(*)::int as entries, coalesce(sum(count), 0) as ads,
                                (array_agg(key))[:${LISTED_WORDS_MAX}] as some
                         from (select key, count from rm.ad_words
                               where key >= w.word and key < w.word || $2 limit ${COUNTED_WORDS_MAX}) counted) found
           order by w.place`,
    values: [words, HIGHEST_CODE_POINT],
  });
  const terms: Term[] = [];
  for (const { word, entries, ads, some } of rows) {
    const known = entries > 0 && {
      words: entries <= LISTED_WORDS_MAX && some ? some : [word],
      isPrefix: entries > LISTED_WORDS_MAX,
      adCount: entries === COUNTED_WORDS_MAX ? Infinity : Number(ads),
      highlighted: [word],
    };
    const term = known || (await correctTypo(reads, word));
    if (!term) return null;
    terms.push(term);
  }
  return terms;
}

async function correctTypo(reads: ReadPool, word: string): Promise<Term | null> {
  const similar = await similarWords(reads, word);
  return similar.length === 0
    ? null
    : {
        words: similar.map(({ key }) => key),
        isPrefix: false,
        adCount: similar.reduce((sum, { count }) => sum + count, 0),
        highlighted: similar.map(({ key }) => key),
      };
}

/**
 * Converts search terms to a Postgres `tsquery`. The words need no escaping, because they contain only letters and
 * digits.
 */
export function createTsquery(terms: readonly Term[]): string {
  return terms.map((term) => matchTerm(term, '')).join(' & ');
}

/**
 * Returns the Postgres `tsquery` for ads of which title and name match. Further words may also be in the place or the
 * category, as in `massage reno`.
 */
export function createTitleTsquery(terms: readonly Term[]): string {
  const isInTitle = terms.map((term) => matchTerm(term, 'A')).join(' | ');
  return [...terms.map((term) => matchTerm(term, 'AB')), `(${isInTitle})`].join(' & ');
}

/** Returns the `tsquery` for one term. `weights` restricts it to some texts of the ad, and is empty for all texts. */
function matchTerm({ words, isPrefix }: Term, weights: '' | 'A' | 'AB'): string {
  const flags = `${isPrefix ? '*' : ''}${weights}`;
  return `(${words.map((word) => `'${word}'${flags === '' ? '' : `:${flags}`}`).join(' | ')})`;
}

interface KnownWord {
  readonly key: string;
  readonly count: number;
}

/** Returns the indexed words that are most similar to a word. */
async function similarWords(reads: ReadPool, word: string): Promise<readonly KnownWord[]> {
  const allowed = maxTypos(word);
  if (allowed === 0) return [];
  const { rows } = await reads.query<KnownWord>({
    name: 'search-similar',
    text: `select key, count from rm.similar_words($1, $2)
           union select key, count from rm.ad_words where key = any($3)`,
    values: [word, SIMILAR_CANDIDATES, swapNeighbours(word)],
  });
  const distances = rows.map((known) => ({ known, distance: editDistance(known.key, word) }));
  const nearest = Math.min(...distances.map(({ distance }) => distance));
  return nearest > allowed
    ? []
    : distances
        .filter(({ distance }) => distance === nearest)
        .map(({ known }) => known)
        .sort((one, other) => other.count - one.count)
        .slice(0, SIMILAR_MAX);
}

/**
 * Returns all variants of a word with two adjacent letters swapped. The trigram search does not find these variants of
 * short words.
 */
function swapNeighbours(word: string): readonly string[] {
  const letters = [...word];
  return letters
    .slice(1)
    .map((letter, index) => [...letters.slice(0, index), letter, letters[index], ...letters.slice(index + 2)].join(''));
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
