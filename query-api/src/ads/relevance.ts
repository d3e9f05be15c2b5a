import type { Term } from './search-terms.ts';

/**
 * The importance of a word by the weight of its positions, in the order D, C, B, A that Postgres expects. The
 * importance of a word in a description is 0.2 to 0.6, so a word in a title is more important (record 0081).
 */
const IMPORTANCE = `'{0.2, 0.3, 0.45, 1}'::real[]`;
/** The result of `ts_rank` for a word with one position of weight A. */
const TITLE_RANK = 0.608;
/** The highest value of a word that is not in the title. */
const OTHER_RANK_MAX = 0.37;
/** The result for a title that only has words that begin with the typed word. It is above `OTHER_RANK_MAX`. */
const LONGER_TITLE_RANK = 0.456;
/** The factor of other words that only begin with the typed word. */
const LONGER_WORD = 0.4;
/** The factor of a word that may replace a typed word that is known, but rare. */
const CORRECTED_WORD = 0.4;
/** A weight is a whole number. This is the weight of a word with the inverse document frequency 1. */
const WEIGHT_UNIT = 100;
const WEIGHT_MAX = 9_999;
/** A score is a whole number, so that a cursor contains it without rounding. */
const SCORE_UNIT = 100;

/**
 * Returns the weight of each term, which is high for a rare term. It is the inverse document frequency of the BM25
 * formula. All pages of a list use the weights of the first page, so that the score of an unchanged ad stays the same
 * while other ads change.
 */
export function computeWeights(terms: readonly Term[], totalAds: number): readonly number[] {
  return terms.map(({ adCount }) => {
    const ads = Math.min(adCount, totalAds);
    const rarity = Math.log(1 + (totalAds - ads + 0.5) / (ads + 0.5));
    return Math.max(1, Math.min(WEIGHT_MAX, Math.round(WEIGHT_UNIT * rarity)));
  });
}

/**
 * Returns the SQL expression for the relevance of the ad `c`, a whole number. Each term adds its weight, multiplied by
 * the importance of its words in the ad. `add` adds a parameter value and returns its placeholder.
 */
export function scoreExpression(
  terms: readonly Term[],
  weights: readonly number[],
  add: (value: unknown) => string,
): string {
  const scores = terms.map((term, index) => `${weights[index] ?? 1} * ${importanceOf(term, add)}`);
  return `round((${scores.join(' + ')}) * ${SCORE_UNIT})::int`;
}

/**
 * Returns the SQL expression for the importance of a term in an ad. If the ad has several of these, the first counts:
 * the typed word, a longer word that begins with it, a word that corrects it.
 */
function importanceOf({ typed, corrections }: Term, add: (value: unknown) => string): string {
  const kinds: string[] = [];
  if (typed !== null) {
    kinds.push(rank(`'${typed}'`, add));
    const others = `${LONGER_WORD} * least(${OTHER_RANK_MAX}, ${rank(`'${typed}':*`, add)})`;
    kinds.push(inTitleOr(`'${typed}':*A`, LONGER_TITLE_RANK, others, add));
  }
  const anyOf = (flags: string) => corrections.map((word) => `'${word}'${flags}`).join(' | ');
  const factor = typed === null ? 1 : CORRECTED_WORD;
  if (corrections.length === 1) kinds.push(`${factor} * ${rank(anyOf(''), add)}`);
  if (corrections.length > 1) {
    // `ts_rank` divides the sum of the ranks by their number.
    const others = `least(${OTHER_RANK_MAX}, ${corrections.length} * ${rank(anyOf(''), add)})`;
    kinds.push(`${factor} * ${inTitleOr(anyOf(':A'), TITLE_RANK, others, add)}`);
  }
  return `coalesce(${kinds.map((kind) => `nullif(${kind}, 0)`).join(', ')}, 0)`;
}

function rank(tsquery: string, add: (value: unknown) => string): string {
  return `ts_rank(${IMPORTANCE}, c.words, ${add(tsquery)}::tsquery)`;
}

/**
 * Returns an SQL expression for the importance of several words: `titleRank` if the title has one of them, and `others`
 * if not. The sum of many words of a description is therefore not above one word of the title.
 */
function inTitleOr(tsquery: string, titleRank: number, others: string, add: (value: unknown) => string): string {
  return `(case when c.words @@ ${add(tsquery)}::tsquery then ${titleRank} else ${others} end)`;
}
