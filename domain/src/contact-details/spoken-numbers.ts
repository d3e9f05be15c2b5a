import { isUnit } from './digit-groups.ts';

/**
 * Finds telephone numbers in number words of German, French, Italian or Spanish, also in compound ones, as in
 * `siebzig zwei fünfhundertfünfundfünfzig …`. `findDigitGroups` reads words for single digits and the words of English.
 */

/** The number words of one language, which may be written as one word. `and` connects the parts of a number. */
interface Language {
  readonly values: ReadonlyMap<string, number>;
  readonly hundreds: ReadonlySet<string>;
  readonly thousands: ReadonlySet<string>;
  readonly and: string;
}

/** Creates a language from rows. The words of a row are `first`, `first + step` and so on. `=` separates spellings. */
function createLanguage(
  rows: readonly (readonly [first: number, step: number, words: string])[],
  { hundreds, thousands, and }: { readonly hundreds: string; readonly thousands: string; readonly and: string },
): Language {
  const values = new Map<string, number>();
  for (const [first, step, words] of rows)
    for (const [index, variants] of words.split(' ').entries())
      for (const word of variants.split('=')) values.set(word, first + index * step);
  return { values, hundreds: new Set(hundreds.split(' ')), thousands: new Set(thousands.split(' ')), and };
}

const GERMAN = createLanguage(
  [
    [0, 1, 'null eins=ein zwei=zwo drei=drey vier fünf=fuenf sechs sieben acht neun'],
    [10, 1, 'zehn elf zwölf=zwoelf dreizehn vierzehn fünfzehn=fuenfzehn sechzehn siebzehn achtzehn neunzehn'],
    [20, 10, 'zwanzig dreissig=dreißig vierzig fünfzig=fuenfzig sechzig siebzig achtzig neunzig'],
  ],
  { hundreds: 'hundert', thousands: 'tausend', and: 'und' },
);
const FRENCH = createLanguage(
  [
    [0, 1, 'zéro=zero un deux trois quatre cinq six sept huit neuf'],
    [10, 1, 'dix onze douze treize quatorze quinze seize'],
    [20, 10, 'vingt=vingts trente quarante cinquante soixante septante huitante=octante nonante'],
  ],
  { hundreds: 'cent cents', thousands: 'mille', and: 'et' },
);
const ITALIAN = createLanguage(
  [
    [0, 1, 'zero uno=un due tre=tré quattro cinque sei sette otto nove'],
    [10, 1, 'dieci undici dodici tredici quattordici quindici sedici diciassette diciotto diciannove'],
    [20, 10, 'venti=vent trenta=trent quaranta=quarant cinquanta=cinquant sessanta=sessant settanta=settant'],
    [80, 10, 'ottanta=ottant novanta=novant'],
  ],
  { hundreds: 'cento cent', thousands: 'mille mila', and: 'e' },
);
const SPANISH = createLanguage(
  [
    [0, 1, 'cero uno=un=ún dos=dós tres=trés cuatro cinco seis=séis siete ocho nueve'],
    [10, 1, 'diez once doce trece catorce quince dieciséis=dieciseis diecisiete dieciocho diecinueve'],
    [20, 10, 'veinte=veinti treinta=treintai cuarenta=cuarentai cincuenta=cincuentai sesenta=sesentai'],
    [70, 10, 'setenta=setentai ochenta=ochentai noventa=noventai'],
    [200, 100, 'doscientos=doscientas trescientos=trescientas cuatrocientos=cuatrocientas quinientos=quinientas'],
    [600, 100, 'seiscientos=seiscientas setecientos=setecientas ochocientos=ochocientas novecientos=novecientas'],
  ],
  { hundreds: 'cien ciento', thousands: 'mil', and: 'y' },
);
const LANGUAGES = [GERMAN, FRENCH, ITALIAN, SPANISH].map((language) => {
  const words = [...language.values.keys(), ...language.hundreds, ...language.thousands, language.and]
    .sort((first, second) => second.length - first.length)
    .join('|');
  return { ...language, atom: new RegExp(words, 'uy') };
});
type Lexicon = (typeof LANGUAGES)[number];

const WORD = /[\p{L}\p{M}\p{N}]+/gu;
/** The characters between two words of one telephone number. */
const GAP = /^[\s,.;:/()-]{1,4}$/u;
/** The characters between two words of one number, as in `vingt-deux`. */
const TIGHT_GAP = /^[ -]$/u;
/** A word of more letters is no number that people write. */
const MAX_LETTERS = 60;
const MIN_DIGITS = 7;
const MIN_NUMBERS = 3;
/** A telephone number has fewer words. A longer sequence is read in parts, so that the search takes linear time. */
const MAX_WORDS = 40;

/** Returns the number words of which a word consists, such as `fünf`, `hundert` and `zwei`. Null for other words. */
function splitWord(word: string, { atom }: Lexicon): readonly string[] | null {
  if (word.length > MAX_LETTERS) return null;
  const lower = word.toLowerCase();
  const atoms: string[] = [];
  for (let at = 0; at < lower.length; ) {
    atom.lastIndex = at;
    const [found] = atom.exec(lower) ?? [];
    if (found === undefined) return null;
    atoms.push(found);
    at += found.length;
  }
  return atoms;
}

/** A number word in a text, which is a word or a part of one. */
interface Atom {
  readonly text: string;
  /** The range of its word. */
  readonly start: number;
  readonly end: number;
  /** True if it may belong to the same number as the previous one: in the same word, or after a space or a hyphen. */
  readonly isTight: boolean;
}

/** The value of a number, and the range of its words. */
interface SpokenNumber {
  readonly value: number;
  readonly start: number;
  readonly end: number;
  readonly isTight: boolean;
}

/** Returns the number below which a following number is added: 10 after `twenty`, 100 after `hundred`, 0 for none. */
function limitOfAddition(value: number, isFrench: boolean): number {
  if (value >= 100 && value % 100 === 0) return 100;
  const tens = value % 100;
  if (isFrench && (tens === 60 || tens === 80)) return 20;
  return tens >= 20 && tens % 10 === 0 ? 10 : 0;
}

/**
 * Returns the number that the previous number and the next word form together, e.g. 500 for 5 and `hundert`. Returns
 * null if the word begins another number. The shortest reading counts: `siebzig zwei` has two digits.
 */
function continueNumber(value: number, word: string, hasAnd: boolean, { and, ...language }: Lexicon): number | null {
  if (language.hundreds.has(word)) return value > 0 && value < 20 && !hasAnd ? value * 100 : null;
  if (language.thousands.has(word)) return value > 0 && value < 1_000 && !hasAnd ? value * 1_000 : null;
  const added = language.values.get(word) ?? 0;
  const ones = value % 100;
  // `fünfundfünfzig` has its ones first, also after a hundred.
  if (and === 'und' && hasAnd && ones > 0 && ones < 10) return added >= 20 ? value + added : null;
  const isFrench = and === 'et';
  if (isFrench && ones === 4 && added === 20) return value - ones + 80;
  const isTen = ones === 10 || ones === 70 || ones === 90;
  if (isFrench && isTen && added >= 7 && added < 10) return value + added;
  return added > 0 && added < limitOfAddition(value, isFrench) ? value + added : null;
}

/**
 * Returns the numbers of a sequence of number words, in several lists if it contains an `and` that connects no parts of
 * a number.
 */
function readNumbers(atoms: readonly Atom[], language: Lexicon): readonly (readonly SpokenNumber[])[] {
  const lists: SpokenNumber[][] = [[]];
  let hasAnd = false;
  for (const [index, { text, start, end, isTight }] of atoms.entries()) {
    const numbers = lists.at(-1) ?? [];
    const last = numbers.at(-1);
    if (text === language.and) {
      hasAnd = true;
      continue;
    }
    const next = atoms[index + 1];
    // In `cent deux cents`, the second word begins another number.
    const isFactor = next?.isTight === true && isMultiplier(next.text, language) && !isMultiplier(text, language);
    const value = last && isTight && !isFactor ? continueNumber(last.value, text, hasAnd, language) : null;
    if (last && value !== null) numbers[numbers.length - 1] = { ...last, value, end };
    else {
      const own = language.values.get(text) ?? (language.thousands.has(text) ? 1_000 : 100);
      if (hasAnd) lists.push([{ value: own, start, end, isTight: false }]);
      else numbers.push({ value: own, start, end, isTight });
    }
    hasAnd = false;
  }
  return lists.map(joinThousands);
}

const isMultiplier = (word: string, { hundreds, thousands }: Lexicon) => hundreds.has(word) || thousands.has(word);

/** Joins thousands and the number after them, as in `mille neuf cent`. */
function joinThousands(numbers: readonly SpokenNumber[]): readonly SpokenNumber[] {
  const joined: SpokenNumber[] = [];
  for (const number of numbers) {
    const last = joined.at(-1);
    const isPart = last && number.isTight && last.value >= 1_000 && last.value % 1_000 === 0 && number.value < 1_000;
    if (isPart && number.value > 0)
      joined[joined.length - 1] = { ...last, value: last.value + number.value, end: number.end };
    else joined.push(number);
  }
  return joined;
}

/** Yields the sequences of numbers in words of one language. */
function* findSequences(text: string, language: Lexicon): Generator<readonly SpokenNumber[]> {
  let atoms: Atom[] = [];
  let [end, words] = [0, 0];
  for (const { 0: word, index } of text.matchAll(WORD)) {
    const read = splitWord(word, language);
    const gap = text.slice(end, index);
    if (read === null || words >= MAX_WORDS || !GAP.test(gap)) {
      if (words > 0) yield* readNumbers(atoms, language);
      [atoms, words] = [[], 0];
    }
    end = index + word.length;
    for (const [part, atom] of (read ?? []).entries())
      atoms.push({ text: atom, start: index, end, isTight: part > 0 || TIGHT_GAP.test(gap) });
    if (read) words += 1;
  }
  if (words > 0) yield* readNumbers(atoms, language);
}

/** Checks whether numbers are counted, as in `eins, zwei, drei` and in `un deux trois, un deux trois`. */
const isCounting = (numbers: readonly number[]): boolean =>
  numbers.every((value, index) => {
    const before = numbers[index - 1];
    return before === undefined || value === before + 1 || value === before - 1 || value === numbers[0];
  });

const isAscending = (numbers: readonly number[]): boolean =>
  numbers.every((value, index) => index === 0 || value > (numbers[index - 1] ?? 0));

/** Checks whether number words are a telephone number, and no count, list of prices, years or ages. */
function isPhone(text: string, spoken: readonly SpokenNumber[]): boolean {
  const numbers = spoken.map(({ value }) => value);
  if (numbers.length < MIN_NUMBERS || new Set(spoken.map(({ end }) => end)).size < MIN_NUMBERS) return false;
  if (numbers.join('').length < MIN_DIGITS || isCounting(numbers)) return false;
  if (numbers[0] === 0) return true;
  // Years and ages.
  if (isAscending(numbers) || isAscending(numbers.toReversed())) return false;
  // Prices.
  if (numbers.every((value) => value >= 20 && value % 5 === 0)) return false;
  return !isUnit(/^\s?(\p{L}+)/u.exec(text.slice(spoken.at(-1)?.end))?.[1] ?? '');
}

/** Returns the ranges of telephone numbers in number words in a readable text. */
export function findSpokenNumbers(text: string): readonly (readonly [start: number, end: number])[] {
  return LANGUAGES.flatMap((language) =>
    [...findSequences(text, language)]
      .filter((spoken) => isPhone(text, spoken))
      .map((spoken) => [spoken[0]?.start ?? 0, spoken.at(-1)?.end ?? 0] as const),
  );
}
