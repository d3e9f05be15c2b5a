import {
  findMarkedWord,
  findState,
  removeContactDetails,
  splitWords,
  type AdCard,
  type ResponseOf,
} from '@alpenglow/domain';
import { AD_DETAILS, type ReadPool, type RowOf } from '@alpenglow/infra';
import type { Term } from './search-terms.ts';

/** The part of a response that shows which words a search has found. */
type SearchMatches = NonNullable<ResponseOf<'listAds'>['search']>;

/** Number of characters before and after a match that are read from a description. */
const CONTEXT_characters = 160;
/** Number of characters before and after a match in an excerpt. */
const SHOWN_characters = 50;

/**
 * Returns what a list of ads highlights: the found words, and a passage of the description for each ad that
 * does not have all words in its title, name, place and category. Passages have no contact details, because the list
 * may be part of the first HTML (F-23).
 */
export async function readSearchMatches(
  reads: ReadPool,
  cards: readonly AdCard[],
  terms: readonly Term[],
): Promise<SearchMatches> {
  const words = terms.flatMap(({ highlighted }) => highlighted);
  const missingWords = new Map(cards.map((card) => [card.id, findMissingWords(card, terms)]));
  const ids = cards.flatMap(({ id }) => ((missingWords.get(id) ?? []).length > 0 ? [id] : []));
  if (ids.length === 0) return { words, excerpts: [] };
  const { rows } = await reads.query<Pick<RowOf<typeof AD_DETAILS>, 'ad_id' | 'description'>>({
    name: 'ad-descriptions',
    text: `select d.ad_id, d.description from ${AD_DETAILS.table} d where d.ad_id = any($1)`,
    values: [ids],
  });
  const excerpts = rows.flatMap(({ ad_id: id, description }) => {
    const text = createExcerpt(description, missingWords.get(id) ?? []);
    return text === null ? [] : [{ id, text }];
  });
  return { words, excerpts };
}

/** Returns the words of those terms that are not in the texts of the card. */
function findMissingWords(card: AdCard, terms: readonly Term[]): readonly string[] {
  const { title, name, city, state, category } = card;
  const known = splitWords([title, name, city, findState(state)?.name ?? '', state, category].join(' '));
  return terms
    .filter(({ highlighted }) => !known.some((word) => highlighted.some((beginning) => word.startsWith(beginning))))
    .flatMap(({ highlighted }) => highlighted);
}

/** Returns a passage of a description around its first match. Returns null if only contact details match. */
function createExcerpt(description: string, words: readonly string[]): string | null {
  // Contact details are removed before the text is cut, because a part of a number would not be recognized.
  const text = removeContactDetails(description);
  const start = findMarkedWord(text, words);
  if (start === null) return null;
  const passageStart = Math.max(0, start - CONTEXT_characters);
  const passage = text.slice(passageStart, start + CONTEXT_characters);
  const match = start - passageStart;
  const from = match <= SHOWN_characters ? 0 : passage.indexOf(' ', match - SHOWN_characters) + 1;
  const end = passage.lastIndexOf(' ', match + SHOWN_characters);
  const to = match + SHOWN_characters >= passage.length || end <= match ? passage.length : end;
  const isCutBefore = from > 0 || start > CONTEXT_characters;
  const isCutAfter = to < passage.length || start + CONTEXT_characters < text.length;
  return `${isCutBefore ? '…' : ''}${passage.slice(from, to).trim()}${isCutAfter ? '…' : ''}`;
}
