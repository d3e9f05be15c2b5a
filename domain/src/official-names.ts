import { PRODUCT_NAME } from './constants.ts';

/** The error for a name that looks like a name of the operator or its staff. */
export const OFFICIAL_NAME_MESSAGE = 'This name could be mistaken for an official one. Please choose another name.';

/** Symbols that look like a badge or a check mark. */
const BADGES = /[✓✔☑✅√🗸🗹🏅🎖🎗🏵🛡🔰👮🆗🆔🪪🔏🔐🔒🔵💠⚜™®©℠]/u;

/** Latin letters that other characters look like, in lower case. The keys are Cyrillic and Greek letters and digits. */
const LOOKALIKES: Readonly<Record<string, string>> = {
  а: 'a',
  α: 'a',
  '4': 'a',
  '@': 'a',
  в: 'b',
  β: 'b',
  с: 'c',
  ϲ: 'c',
  ԁ: 'd',
  е: 'e',
  є: 'e',
  ε: 'e',
  '3': 'e',
  ғ: 'f',
  ƒ: 'f',
  ց: 'g',
  ɡ: 'g',
  н: 'h',
  һ: 'h',
  і: 'i',
  ι: 'i',
  ı: 'i',
  ӏ: 'i',
  l: 'i',
  '1': 'i',
  '|': 'i',
  '!': 'i',
  к: 'k',
  κ: 'k',
  м: 'm',
  ո: 'n',
  η: 'n',
  о: 'o',
  ο: 'o',
  օ: 'o',
  σ: 'o',
  ø: 'o',
  '0': 'o',
  р: 'p',
  ρ: 'p',
  ѕ: 's',
  '5': 's',
  $: 's',
  т: 't',
  τ: 't',
  υ: 'u',
  ս: 'u',
  ν: 'v',
  ѵ: 'v',
  ԝ: 'w',
  ω: 'w',
  х: 'x',
  χ: 'x',
  у: 'y',
  γ: 'y',
};

/** Returns a text in which characters that look alike are equal. Words consist of the letters a to z. */
function toSkeleton(text: string): string {
  const plain = text
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/\p{M}|\p{Cf}/gu, '');
  return Array.from(plain, (character) => LOOKALIKES[character] ?? character)
    .join('')
    .replaceAll('rn', 'm')
    .replaceAll('vv', 'w');
}

/** Words for the operator and its staff, in the four languages of the product. */
const OFFICIAL_WORDS: ReadonlySet<string> = new Set(
  [
    ...['admin', 'admins', 'administrator', 'administration', 'moderator', 'moderators', 'moderation', 'official'],
    ...['support', 'staff', 'team', 'helpdesk', 'verified', 'operator', 'sysadmin'],
    ...['administratorin', 'moderatorin', 'offiziell', 'offizielle', 'offizieller', 'offizielles', 'mitarbeiter'],
    ...['kundendienst', 'verifiziert', 'betreiber'],
    ...['administrateur', 'administratrice', 'moderateur', 'moderatrice', 'officiel', 'officielle', 'equipe'],
    ...['assistance', 'verifie', 'verifiee'],
    ...['amministratore', 'amministratrice', 'moderatore', 'ufficiale', 'squadra', 'assistenza', 'verificato'],
    ...['verificata'],
  ].map(toSkeleton),
);
/** Words that are also found inside of longer words, and if their letters are separated. */
const ANYWHERE = [PRODUCT_NAME, 'official', 'moderator', 'administrator'].map(toSkeleton);

/**
 * Returns true if a name could be mistaken for a name of the operator or its staff. It then contains a badge symbol,
 * the name of the product, or a word such as `admin`. Characters that look alike are treated as equal.
 */
export function isMistakableForOfficial(name: string): boolean {
  if (BADGES.test(name)) return true;
  // A sign such as `!` replaces a letter, or it separates words. Both readings are checked.
  return [name, name.replaceAll(/[!|$@]/gu, ' ')].some((reading) => {
    const words = toSkeleton(reading)
      .split(/[^\p{L}]+/u)
      .filter((word) => word !== '');
    const joined = words.join('');
    return words.some((word) => OFFICIAL_WORDS.has(word)) || ANYWHERE.some((word) => joined.includes(word));
  });
}
