import { QUERY_WORDS_MAX, searchWordsOf } from '@alpenglow/domain';
import type { Pool } from '@alpenglow/infra';
import { editDistance } from './edit-distance.ts';

/** One word of a search, as the words of ads that it finds. */
export interface Term {
  readonly words: readonly string[];
  /** Whether the one word is only how words begin, of which there are too many to name. */
  readonly isBeginning: boolean;
  /** How many ads have one of these words, at most: an ad counts once for each. Infinity for a beginning so many words have that counting them would take too long. */
  readonly ads: number;
}

/** A beginning of more words than this is not counted. */
const COUNTED_WORDS = 300;
/** An index finds a few whole words sooner than a beginning. */
const NAMED_WORDS = 8;
/** Higher in the order of code points than whatever continues a word. */
const LAST = '\u{10ffff}';
const SIMILAR_LOOKED_AT = 40;
const SIMILAR_USED = 5;

/**
 * What a search asks for, every term of which an ad must have; null where no ad can have all of them. A word that begins no word of
 * any ad counts as mistyped.
 */
export async function termsOf(pool: Pool, q: string): Promise<readonly Term[] | null> {
  const words = searchWordsOf(q, QUERY_WORDS_MAX);
  if (words.length === 0) return null;
  const { rows } = await pool.query<{ word: string; entries: number; ads: string; some: readonly string[] | null }>({
    name: 'search-words',
    text: `select w.word, found.entries, found.ads, found.some
           from unnest($1::text[]) with ordinality w (word, place),
                lateral (select count(*)::int as entries, coalesce(sum(count), 0) as ads, (array_agg(key))[:${NAMED_WORDS}] as some
                         from (select key, count from rm.ad_words where key >= w.word and key < w.word || $2 limit ${COUNTED_WORDS}) counted) found
           order by w.place`,
    values: [words, LAST],
  });
  const terms: Term[] = [];
  for (const { word, entries, ads, some } of rows) {
    const known = entries > 0 && {
      words: entries <= NAMED_WORDS && some ? some : [word],
      isBeginning: entries > NAMED_WORDS,
      ads: entries === COUNTED_WORDS ? Infinity : Number(ads),
    };
    const term = known || (await mistyped(pool, word));
    if (!term) return null;
    terms.push(term);
  }
  return terms;
}

async function mistyped(pool: Pool, word: string): Promise<Term | null> {
  const meant = await similarWords(pool, word);
  return meant.length === 0
    ? null
    : { words: meant.map(({ key }) => key), isBeginning: false, ads: meant.reduce((sum, { count }) => sum + count, 0) };
}

/** The terms as a `tsquery`. Their words are letters and digits alone, so nothing in them could mean anything to Postgres. */
export function tsqueryOf(terms: readonly Term[]): string {
  return terms
    .map(({ words, isBeginning }) => `(${words.map((word) => `'${word}'${isBeginning ? ':*' : ''}`).join(' | ')})`)
    .join(' & ');
}

interface KnownWord {
  readonly key: string;
  readonly count: number;
}

/** Words of ads that a word may have been meant to be, those nearest to it. */
async function similarWords(pool: Pool, word: string): Promise<readonly KnownWord[]> {
  const allowed = typosAllowed(word);
  if (allowed === 0) return [];
  const { rows } = await pool.query<KnownWord>({
    name: 'search-similar',
    text: 'select key, count from rm.similar_words($1, $2) union select key, count from rm.ad_words where key = any($3)',
    values: [word, SIMILAR_LOOKED_AT, neighboursSwapped(word)],
  });
  const distances = rows.map((known) => ({ known, distance: editDistance(known.key, word) }));
  const nearest = Math.min(...distances.map(({ distance }) => distance));
  return nearest > allowed
    ? []
    : distances
        .filter(({ distance }) => distance === nearest)
        .map(({ known }) => known)
        .sort((one, other) => other.count - one.count)
        .slice(0, SIMILAR_USED);
}

/** A word with two neighbours swapped, of each two: of a short word that leaves too little for it to look similar. */
function neighboursSwapped(word: string): readonly string[] {
  const letters = [...word];
  return letters
    .slice(1)
    .map((letter, index) => [...letters.slice(0, index), letter, letters[index], ...letters.slice(index + 2)].join(''));
}

/** Letters that may be wrong: in a short word, every one of them makes another word. */
function typosAllowed(word: string): number {
  const length = [...word].length;
  if (length < 3) return 0;
  return length < 6 ? 1 : 2;
}
