/** The words for digits in languages in which ads are written: English, Spanish, German, French and Italian. */
const DIGIT_WORDS: readonly (readonly string[])[] = [
  ['zero', 'oh', 'cero', 'null', 'zéro'],
  ['one', 'uno', 'eins', 'un'],
  ['two', 'dos', 'dós', 'zwei', 'zwo', 'deux', 'due'],
  ['three', 'tres', 'trés', 'drei', 'trois', 'tre', 'tré'],
  ['four', 'cuatro', 'vier', 'quatre', 'quattro'],
  ['five', 'cinco', 'fünf', 'fuenf', 'cinq', 'cinque'],
  ['six', 'seis', 'séis', 'sechs', 'sei'],
  ['seven', 'siete', 'sieben', 'sept', 'sette'],
  ['eight', 'ocho', 'acht', 'huit', 'otto'],
  ['nine', 'nueve', 'neun', 'neuf', 'nove'],
];
/** The words from ten to nineteen. */
const TEENS: readonly (readonly string[])[] = [
  ['ten', 'zehn', 'dix', 'dieci', 'diez'],
  ['eleven', 'elf', 'onze', 'undici', 'once'],
  ['twelve', 'zwölf', 'zwoelf', 'douze', 'dodici', 'doce'],
  ['thirteen', 'dreizehn', 'treize', 'tredici', 'trece'],
  ['fourteen', 'vierzehn', 'quatorze', 'quattordici', 'catorce'],
  ['fifteen', 'fünfzehn', 'fuenfzehn', 'quinze', 'quindici', 'quince'],
  ['sixteen', 'sechzehn', 'seize', 'sedici', 'dieciséis', 'dieciseis'],
  ['seventeen', 'siebzehn', 'diciassette', 'diecisiete'],
  ['eighteen', 'achtzehn', 'diciotto', 'dieciocho'],
  ['nineteen', 'neunzehn', 'diciannove', 'diecinueve'],
];
/** The words from twenty to ninety. A part of them is the start of a longer word, such as `veintidós`. */
const TENS: readonly (readonly string[])[] = [
  ['twenty', 'zwanzig', 'vingt', 'venti', 'veinte', 'veinti'],
  ['thirty', 'dreissig', 'trente', 'trenta', 'treinta'],
  ['forty', 'fourty', 'vierzig', 'quarante', 'quaranta', 'cuarenta'],
  ['fifty', 'fünfzig', 'fuenfzig', 'cinquante', 'cinquanta', 'cincuenta'],
  ['sixty', 'sechzig', 'soixante', 'sessanta', 'sesenta'],
  ['seventy', 'siebzig', 'septante', 'settanta', 'setenta'],
  ['eighty', 'achtzig', 'huitante', 'ottanta', 'ochenta', 'octante'],
  ['ninety', 'neunzig', 'nonante', 'novanta', 'noventa'],
];
const GERMAN_ONES = ['ein', 'zwei', 'drei', 'vier', 'fünf', 'sechs', 'sieben', 'acht', 'neun'];
/** German words in which the second digit is first, and Italian ones without a vowel, such as `ventuno`. */
const COMPOUNDS = TENS.flatMap((words, index) => {
  const [, german = '', , italian = ''] = words.filter((word) => word !== 'fourty' && word !== 'fuenfzig');
  const stem = italian.slice(0, -1);
  return [
    ...GERMAN_ONES.map((one, ones) => [`${one}und${german}`, `${index + 2}${ones + 1}`] as const),
    [`${stem}uno`, `${index + 2}1`] as const,
    [`${stem}otto`, `${index + 2}8`] as const,
  ];
});

const HUNDREDS = ['hundred', 'hundert', 'cent', 'cento', 'ciento'];

const VALUES = new Map<string, string>([
  ...DIGIT_WORDS.flatMap((words, digit) => words.map((word) => [word, String(digit)] as const)),
  ...TEENS.flatMap((words, index) => words.map((word) => [word, String(10 + index)] as const)),
  ...TENS.flatMap((words, index) => words.map((word) => [word, `${index + 2}0`] as const)),
  ...COMPOUNDS,
  ...HUNDREDS.map((word) => [word, '00'] as const),
]);
/** The words whose zero the next digit replaces. The French word for ten is a part of `dix-huit`. */
const OPEN_WORDS: ReadonlySet<string> = new Set([...TENS.flat(), 'dix']);
/** Letters that look like digits. They count only next to digits. */
const LOOKALIKES: Readonly<Record<string, string>> = { o: '0', l: '1', i: '1', '|': '1', s: '5', b: '8', z: '2' };

/** Words that repeat the next digit. */
export const REPEATS: ReadonlyMap<string, number> = new Map([
  ['double', 2],
  ['triple', 3],
  ['doppel', 2],
  ['doble', 2],
  ['doppio', 2],
]);
/** A repeated digit in one word, as in `triple5`. */
const REPEATED = new RegExp(`^(${[...REPEATS.keys()].join('|')})(.{1,9})$`, 'u');

/** The digits that a word stands for, e.g. `702` for `7o2`, `seven02` and `sevenohtwo`. */
export interface WordDigits {
  readonly digits: string;
  /** True if the word is not written in digits. */
  readonly isHidden: boolean;
  /** True for `fifty`. The digit of the next word replaces its zero. */
  readonly isTens: boolean;
  /** True for `hundred`. */
  readonly isHundred?: boolean;
}

const NUMBER_WORDS = [...VALUES.keys()].sort((first, second) => second.length - first.length).join('|');
const NUMBER_WORD = new RegExp(NUMBER_WORDS, 'uy');

/** Digits that touch other letters, as in `Call7025550142`. Letters and words between them may stand for digits. */
export const DIGIT_RUN = new RegExp(
  String.raw`\d+(?:(?:[oilsbz]{1,3}|(?:${NUMBER_WORDS}){1,4})\d+)*(?:[oil]{1,2}(?!\p{L}))?`,
  'giu',
);

/** Returns the longest number word at a position of a word. */
function numberWordAt(word: string, start: number): string | null {
  NUMBER_WORD.lastIndex = start;
  return NUMBER_WORD.exec(word)?.[0] ?? null;
}

/** Returns the digits that a word stands for, or null if a part of the word is something else. */
export function readDigits(word: string): WordDigits | null {
  if (/^\d+$/u.test(word)) return { digits: word, isHidden: false, isTens: false };
  // A number of 40 letters, such as "sevenohtwofivefivefivezeroonefourtwo", is the longest useful one.
  if (word.length > 60) return null;
  const lower = word.toLowerCase();
  // The bills in `20s, 50s and 100s` are no 205, 505 and 1005.
  if (/^\d+0s$/u.test(word)) return null;
  if (lower === 'o') return { digits: '0', isHidden: true, isTens: false };
  const [, repeat = '', repeated = ''] = REPEATED.exec(lower) ?? [];
  const digit = repeated === '' ? null : readDigits(repeated);
  if (digit?.digits.length === 1)
    return { ...digit, digits: digit.digits.repeat(REPEATS.get(repeat) ?? 1), isHidden: true };
  const hasDigit = /\d/u.test(lower);
  let digits = '';
  let isTens = false;
  for (let at = 0; at < lower.length; ) {
    const numberWord = numberWordAt(lower, at);
    const character = lower.charAt(at);
    const value = numberWord === null ? /\d/u.exec(character)?.[0] : VALUES.get(numberWord);
    const read = value ?? (hasDigit ? LOOKALIKES[character] : undefined);
    if (read === undefined) return null;
    digits = isTens && /^[1-9]$/u.test(read) && numberWord !== null ? digits.slice(0, -1) + read : digits + read;
    isTens = numberWord !== null && OPEN_WORDS.has(numberWord);
    at += numberWord?.length ?? 1;
  }
  return { digits, isHidden: true, isTens, isHundred: HUNDREDS.includes(lower) };
}
