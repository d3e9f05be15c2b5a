import { PRODUCT_NAME } from './constants.ts';

/** The error for a name that looks like a name of the operator or its staff. */
export const OFFICIAL_NAME_MESSAGE = 'This name could be mistaken for an official one. Please choose another name.';

/**
 * Symbols that look like a badge or a check mark, including stars and dots of fonts. Emoji such as hearts, flowers and
 * yellow stars are no badges.
 */
const BADGES = /[✓✔☑✅√⍻🗸🗹🮱🏅🎖🎗🏵🛡⛨🔰👮🆗🆔🪪🔏🔐🔒🔵💠⚜ℹ™®©℠★☆✪✫✬✭✮✯✰⍟⚝◉◎⦿⊙⊚⊛☉⨀]/u;

/** The Latin letters in lower case, each with the characters that look like it. `l` and `i` are the same letter. */
const LOOKALIKES: Readonly<Record<string, string>> = {
  a: 'аα4@ᴀɑꭺ',
  b: 'вβʙƀɓ',
  c: 'сϲᴄꮯ',
  d: 'ԁᴅժđɗɖꭰ',
  e: 'еєε3ᴇəꭼ',
  f: 'ғƒꜰ',
  g: 'ցɡɢɠꮐ',
  h: 'нһʜħհꮋ',
  i: 'іιıӏl1|!ɪɩʟłɨꭵꮮ',
  k: 'кκᴋ',
  m: 'мᴍɱꮇ',
  n: 'пոηɴŋɲɳƞռ',
  o: 'оοօσø0ᴏɵ',
  p: 'рρᴘꮲ',
  r: 'гʀɾꭱ',
  s: 'ѕ5$ꜱꮪ',
  t: 'тτᴛŧꭲ',
  u: 'υսᴜμʉ',
  v: 'νѵᴠꮩ',
  w: 'ԝωᴡաꮃ',
  x: 'хχ',
  y: 'уγʏɏ',
  z: 'ᴢƶꮓ',
};

const LATIN: ReadonlyMap<string, string> = new Map(
  Object.entries(LOOKALIKES).flatMap(([letter, others]) => Array.from(others, (other) => [other, letter] as const)),
);

/** The first characters of the alphabets in boxes, in circles, and of flags. They have no compatible letter. */
const ALPHABETS = [0x1_f1_70, 0x1_f1_50, 0x1_f1_e6];
const LETTERS = 26;
const CODE_OF_A = 97;

function toLatin(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  const first = ALPHABETS.find((start) => code >= start && code < start + LETTERS);
  const letter = first === undefined ? character : String.fromCharCode(CODE_OF_A + code - first);
  return LATIN.get(letter) ?? letter;
}

/** Returns a text in which characters that look alike are equal. Words consist of the letters a to z. */
function toSkeleton(text: string): string {
  const plain = text
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/\p{M}|\p{Cf}/gu, '');
  return Array.from(plain, toLatin).join('').replaceAll('rn', 'm').replaceAll('vv', 'w');
}

/** Words for the operator and its staff, in the four languages of the product and in Russian. */
const OFFICIAL_WORDS: ReadonlySet<string> = new Set(
  [
    ...['admin', 'admins', 'administrator', 'administration', 'moderator', 'moderators', 'moderation', 'official'],
    ...['support', 'staff', 'team', 'helpdesk', 'verified', 'operator', 'sysadmin'],
    ...['administratorin', 'moderatorin', 'offiziell', 'offizielle', 'offizieller', 'offizielles', 'mitarbeiter'],
    ...['kundendienst', 'verifiziert', 'betreiber'],
    ...['administrateur', 'administratrice', 'moderateur', 'moderatrice', 'officiel', 'officielle', 'equipe'],
    ...['assistance', 'verifie', 'verifiee'],
    ...['amministratore', 'amministratrice', 'moderatore', 'ufficiale', 'squadra', 'assistenza', 'verificato'],
    ...['verificata', 'админ', 'администратор', 'администрация', 'модератор', 'поддержка', 'официальный'],
    ...['официальная', 'адміністратор'],
  ].map(toSkeleton),
);
/** Words that are also found inside of longer words, and if their letters are separated. */
const ANYWHERE = [PRODUCT_NAME, 'official', 'moderator', 'administrator'].map(toSkeleton);

/** Returns the words of which the letters are separated, such as `A d m i n`. */
function joinSingleLetters(words: readonly string[]): readonly string[] {
  const isSingle = (word: string) => word.length === 1;
  return words
    .map((word) => (isSingle(word) ? word : ' '))
    .join('')
    .split(' ')
    .filter((word) => word.length > 1);
}

/**
 * Returns the readings of a name. A digit or a sign such as `!` replaces a letter, it separates words, or it belongs to
 * no word at the end or at the start of a word: `0ff1cial`, `Admin0`, `4dmin1`.
 */
function readingsOf(name: string): readonly string[] {
  return [
    name,
    name.replaceAll(/[!|$@\d]/gu, ' '),
    name.replaceAll(/[!|$@\d]+(?![\p{L}\p{M}])/gu, ' '),
    name.replaceAll(/(^|[^\p{L}\p{M}])[!|$@\d]+/gu, '$1 '),
  ];
}

/**
 * Returns true if a name could be mistaken for a name of the operator or its staff. It then contains a badge symbol,
 * the name of the product, or a word such as `admin`. Characters that look alike are treated as equal.
 */
export function isMistakableForOfficial(name: string): boolean {
  if (BADGES.test(name)) return true;
  return readingsOf(name.normalize('NFKC')).some((reading) => {
    const words = toSkeleton(reading)
      .split(/[^\p{L}]+/u)
      .filter((word) => word !== '');
    const joined = words.join('');
    return (
      [...words, ...joinSingleLetters(words), joined].some((word) => OFFICIAL_WORDS.has(word)) ||
      ANYWHERE.some((word) => joined.includes(word))
    );
  });
}
