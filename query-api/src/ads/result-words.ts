import { TITLE_WORD } from '@alpenglow/domain';
import type { ResultPart } from './orders.ts';
import { createTitleTsquery, createTsquery, type Term } from './search-terms.ts';

/** The words that the ads of one part of a search result have, and estimates of their number. */
export interface ResultWords {
  readonly part: ResultPart;
  /** The `tsquery` that exactly the ads of this part match. */
  readonly tsquery: string;
  /**
   * The `tsquery` of each condition for the index, which may find more ads. With a condition for each word, Postgres
   * combines frequent words twice as fast as with one condition. Null if the index would read too many entries.
   */
  readonly indexed: readonly string[] | null;
  /** True if the ads that match `indexed` are exactly the ads of this part. */
  readonly isExact: boolean;
  /**
   * Lists of words. The ads of this part have at least one word of each list, so their signatures have both bits of
   * this word. A term with `isPrefix` has no list.
   */
  readonly signed: readonly (readonly string[])[];
  /** The upper limit for the share of ads that have a word of each list in `signed`. */
  readonly signedShare: number;
  /** True if signatures check all words. Otherwise, an ad must be read to check the other words. */
  readonly isFullySigned: boolean;
  /** True if the index checks all words. Otherwise, the other words of each found ad are checked in the table. */
  readonly isFullyIndexed: boolean;
  /** The number of index entries that the rarest words have. Infinity without `indexed`. */
  readonly indexedAds: number;
  /** The upper limit for the number of matching ads in the requested place. */
  readonly maxAds: number;
  /** The expected share of matching ads, if the words occur independently of each other. */
  readonly share: number;
}

/** The numbers of ads in total, in the scope of the list (`scopeOf`) and in the requested place and category. */
export interface AdNumbers {
  readonly total: number;
  readonly inScope: number;
  readonly inPlace: number;
}

/**
 * The word index is used only for words that occur in at most this number of ads. A more frequent word finds too many
 * ads that are not on the requested page.
 */
const INDEXED_WORD_MAX_ads = 300_000;
/**
 * The word index is used only for prefixes whose words occur in at most this number of ads. The limit is lower than for
 * a single word, because the index must first collect the ads of all words with the prefix.
 */
const INDEXED_PREFIX_MAX_ads = 60_000;

/** Returns the words of a part of the search result for these terms. */
export function createResultWords(terms: readonly Term[], part: ResultPart, numbers: AdNumbers): ResultWords {
  const all = createTsquery(terms);
  const [rarest] = terms
    .filter((term) => isIndexed(term, term.adCount))
    .toSorted((one, other) => one.adCount - other.adCount);
  // If one word is rare, the index skips most entries of frequent words. But it must read all entries of a prefix.
  const indexedTerms = terms.filter((term) => !term.isPrefix || isIndexed(term, term.adCount));
  const indexed = rarest ? indexedTerms.map((term) => createTsquery([term])) : null;
  const isFullyIndexed = rarest !== undefined && indexedTerms.length === terms.length;
  const indexedAds = rarest?.adCount ?? Infinity;
  const shares = terms.map(({ adCount }) => shareOf(adCount, numbers.total));
  const share = shares.reduce((product, one) => product * one, 1);
  const maxAds = Math.min(numbers.inPlace, ...terms.map(({ adCount }) => adCount));
  const common = {
    part,
    indexed,
    signed: terms.filter(({ isPrefix }) => !isPrefix).map(({ words }) => words),
    signedShare: Math.min(1, ...shares.filter((_, index) => terms[index]?.isPrefix === false)),
    isFullySigned: terms.every(({ isPrefix }) => !isPrefix),
    isFullyIndexed,
    isExact: isFullyIndexed && part === 'all',
    indexedAds,
    maxAds,
    share,
  };
  if (part === 'all') return { ...common, tsquery: all };
  const inTitle = createTitleTsquery(terms);
  if (part === 'rest') return { ...common, tsquery: `${all} & !${inTitle}` };
  const titleAds = terms.reduce((sum, { titleCount }) => sum + titleCount, 0);
  const isSingle = terms.length === 1;
  const titles = {
    ...common,
    // An ad with the only word in its title or name matches, so its other texts need not be checked.
    tsquery: isSingle ? inTitle : `${all} & ${inTitle}`,
    signed: terms.some(({ isPrefix }) => isPrefix)
      ? common.signed
      : [...common.signed, terms.flatMap(({ words }) => words.map((word) => TITLE_WORD + word))],
    maxAds: Math.min(maxAds, titleAds),
    // The sum over all terms of the share of ads with this term in the title and the other terms in any text.
    share: Math.min(
      share,
      terms.reduce(
        (sum, { titleCount }, index) =>
          sum +
          shares.reduce((product, one, at) => product * (at === index ? shareOf(titleCount, numbers.total) : one), 1),
        0,
      ),
    ),
  };
  const hasTitleIndex = terms.every((term) => isIndexed(term, term.titleCount)) && titleAds <= INDEXED_WORD_MAX_ads;
  if (!hasTitleIndex) return titles;
  return {
    ...titles,
    indexed: isSingle || indexed === null ? [inTitle] : [...indexed, inTitle],
    isFullyIndexed: isSingle || isFullyIndexed,
    isExact: isSingle || isFullyIndexed,
    indexedAds: Math.min(titleAds, indexedAds),
  };
}

/** Checks whether the word index can find this number of ads of a term without reading too many entries. */
function isIndexed({ isPrefix }: Term, ads: number): boolean {
  return ads <= (isPrefix ? INDEXED_PREFIX_MAX_ads : INDEXED_WORD_MAX_ads);
}

function shareOf(ads: number, total: number): number {
  return Math.min(1, ads / total);
}
