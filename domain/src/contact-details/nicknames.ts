import { findAll, trimEnd, type Range } from './ranges.ts';
import { isCommonWord, isNoNickname } from './usual-words.ts';

/**
 * Finds names of persons in messengers and other networks in a readable text. Each part of a pattern has a maximum
 * length, so that the time grows only linearly with the length of the text. The group `found` of a pattern is the
 * name. What is before it is not hidden.
 */

/** The names of networks that are often written with other signs for some letters, or with spaces between them. */
const DISGUISED_NETWORKS =
  't[e3]l[e3](?:gr[a@4]mm?)?|wh?[a@4]t[s$]\\s?[a@4]pp|k[i1!]k|[s$]n[a@4]p(?:\\s?ch[a@4]t)?|' +
  '[i1!]n[s$]t[a@4](?:\\s?gr[a@4]m)?|(?:my|the)\\sgram|i\\s?g|i\\.g\\.|t\\s?g|s\\sn\\sa\\sp|k\\si\\sk|' +
  'i\\sn\\ss\\st\\sa|t\\se\\sl\\se(?:\\sg\\sr\\sa\\sm)?|w\\sh\\sa\\st\\ss\\sa\\sp\\sp';
const NETWORKS =
  `${DISGUISED_NETWORKS}|twitter|facebook|fb|only\\s?fans|fansly|fancentro|loyalfans|manyvids|tik\\s?tok|discord|` +
  'we\\s?chat|skype|viber|threema|icq|threads|cash\\s?app|venmo|zelle|pay\\s?pal|gmail|wickr|session\\sid|' +
  'bluesky|bsky|reddit|tryst|throne|linktree|youtube|twitch|teleguard|zangi|телеграмм?|инстаграмм?|инста|тг';
/** Names of networks that are also other words. */
const WORD_NETWORKS = 'signal|line|messenger|sc|x|wx|vx|vk';
/** Networks for payments, whose names are often followed by a word. */
const CASH = String.raw`cash\s?(?:app(?:\s?tag)?|tag)|venmo|pay\s?pal`;

const START = String.raw`(?<![\p{L}\p{N}_])`;
/** The end of the name of a network, which may be in brackets. */
const END = String.raw`(?![\p{L}\p{N}])[)\]]?`;
/** Words after the name of a network that announce the name of a person. */
const NAMED =
  String.raw`(?:[\s-](?:id|handle|user(?:\s?name)?|nick(?:name)?|name|account|me|is|as|under|at|ist|heisst|lautet|` +
  String.raw`heisse\sich|unter|hinzu|search|look\sfor|benutzername|c['’]est|est|pseudo|è|utente|es|usuario)(?!\p{L})){0,2}`;
/** Pictures and arrows between the name of a network and the name of a person. */
const PICTURES = String.raw`[^\p{L}\p{N}\n@.,;!?'"()/$-]`;
const SIGN =
  String.raw`(?:\s{0,2}${PICTURES}{0,4}[:=]\s{0,2}${PICTURES}{0,4}` +
  String.raw`|\s{0,2}-{1,2}>?\s|\s?(?:[👉➡→▶⇒➜➔⟶]\s?){1,3})`;
const PICTURES_ONLY = String.raw`\s?(?:[^\x00-\xFF\p{L}\p{N}]{1,6}\s?){1,2}`;
const NICKNAME = String.raw`(?<found>@?[\p{L}_][\w.#:-]{2,40})(?!\p{L})`;
/** A name of Latin letters, digits, full stops and underscores. */
const LATIN_NAME = String.raw`(?<found>[a-z][\w.]{3,40})(?!\p{L})`;

const WITH_SIGN = [
  new RegExp(String.raw`${START}(?:${NETWORKS}|signal)${END}${NAMED}${SIGN}${NICKNAME}`, 'dgiu'),
  new RegExp(String.raw`\bOF\s{0,2}[:=]\s{0,2}${NICKNAME}`, 'dgu'),
  // The name of WeChat in Chinese may touch other words.
  new RegExp(String.raw`(?:[微薇]信|微x|v信)(?:号|id)?\s?[:=]?\s?${NICKNAME}`, 'dgiu'),
];
const WITHOUT_SIGN = [
  new RegExp(String.raw`${START}(?:${NETWORKS})${END}${NAMED}${PICTURES_ONLY}${NICKNAME}`, 'dgiu'),
  new RegExp(String.raw`${START}(?:${NETWORKS})${END}${NAMED}(?:\s{1,2}|\s?@\s)${NICKNAME}`, 'dgiu'),
  new RegExp(
    String.raw`(?:\bmy\s|\b(?:on|via)\s(?:my\s)?|(?:^|\n))(?:${NETWORKS})${NAMED},\s(?<found>[a-z][\w.]{3,40})(?!\p{L})`,
    'dgiu',
  ),
  // Words before a network whose name is also another word, as in `find me on Signal robin`.
  new RegExp(
    String.raw`(?:\b(?:find|add|follow|reach|text|message|dm|hit)\sme\s(?:up\s)?(?:on|at|via)\s|\bmy\s|(?:^|\n))` +
      String.raw`(?:${WORD_NETWORKS})(?:\s(?:id|is|name|handle|username)){0,2}\s${LATIN_NAME}`,
    'dgiu',
  ),
  new RegExp(String.raw`${START}line[\s-](?:id|user(?:name)?|name|handle)(?:\sis)?\s?[:=]?\s?${LATIN_NAME}`, 'dgiu'),
  new RegExp(String.raw`(?:^|[\n|/,;]\s?|\bmy\s)(?:${WORD_NETWORKS})\s{0,2}[:=]\s{0,2}${LATIN_NAME}`, 'dgiu'),
  // A site of reviews. Its name is also the end of other words, so it counts only in capital letters.
  /(?<![\p{L}\p{N}_])TER(?:\s(?:id|ID|handle|name|as))?\s?[:=\s]\s?(?<found>[A-Za-z][\w.]{3,40})(?!\p{L})/dgu,
  // A picture that stands for a network.
  /(?:^|[^\p{L}\p{N}])[📸📷👻]\s?[:=]?\s?(?<found>[a-z][\w.]{4,40})(?![\p{L}/])/dgu,
];
/** Other signs between the name of a network and the name of a person, as in `snap | robin` and `insta "robin"`. */
const OTHER_SIGN = new RegExp(
  String.raw`${START}(?:${NETWORKS})(?![\p{L}\p{N}])${NAMED}\s?(?:\.{2,3}\s?|\.|(?:[;~/|_-]|>{1,3}|["“„«]|\(@)\s?)` +
    String.raw`(?<found>[a-z][\w.]{3,40})(?!\p{L}|/)`,
  'dgiu',
);
/** Networks whose names are also other words. Only a name with a digit, a full stop or a sign follows them. */
const WORD_NETWORK_PATTERNS = [
  new RegExp(String.raw`${START}signal${NAMED}\s{1,2}${NICKNAME}`, 'dgiu'),
  new RegExp(
    String.raw`${START}(?:${WORD_NETWORKS})(?:(?:\s(?:id|is|me))?\s{0,2}[:=]\s{0,2}|\s(?:id|is|me)\s)${NICKNAME}`,
    'dgiu',
  ),
];
const USUAL_FORMS = [
  // A name with a digit after a short name of a network, as in `sc robin22`.
  new RegExp(
    String.raw`(?<![\p{L}\p{N}_-]\s?)(?:sc|x|wx|vx|vk)\s(?<found>(?=[a-z_.]{1,20}\d)[a-z_][\w.]{4,40})(?!\p{L})`,
    'dgiu',
  ),
  /(?<![\p{L}\p{N}_-])OF\s(?<found>(?=[A-Za-z_.]{1,20}\d)[A-Za-z_][\w.]{4,40})(?!\p{L})/dgu,
  // Names that are numbers or consist of eight capital letters and digits.
  /(?<![\p{L}\p{N}_])qq(?:号|\s?id|\s?number)?\s?[:=]?\s?(?<found>\d{5,11})(?!\d)/dgiu,
  /(?<![\p{L}\p{N}_])[Tt]hreema(?:[\s-]ID)?\s?[:=]?\s?(?<found>[A-Z\d*][A-Z\d]{7})(?!\w)/dgu,
  // A name directly after the name of a network, as in `Telegram@robin`.
  new RegExp(String.raw`(?<![\w.])(?:${NETWORKS})(?<found>@[a-z_][\w.]{2,40})`, 'dgiu'),
  // Letters with spaces between them, as in `insta: r o b i n`.
  new RegExp(
    String.raw`${START}(?:${NETWORKS})${END}${NAMED}\s?[:=@-]?\s?` +
      String.raw`(?<found>[a-z](?:[ .-][a-z\d_]){4,30})(?![\p{L}\p{N}])`,
    'dgiu',
  ),
];
/** Names for payments begin with a dollar sign. */
const CASH_PATTERNS = [
  new RegExp(String.raw`\b(?:${CASH})${NAMED}[^\p{L}\p{N}\n$]{0,6}(?<found>\$[a-z][\w-]{1,20})`, 'dgiu'),
  new RegExp(String.raw`(?<found>\$[a-z][\w-]{1,20})\s(?:(?:on|at|via|\()\s?)?(?:my\s)?(?:${CASH})\b`, 'dgiu'),
];
const BEFORE_NETWORK = String.raw`(?:\s(?:on|auf|sur|su|en)\s(?:my\s)?|\s?\(|\s@\s)(?:${NETWORKS})(?![\p{L}\p{N}])`;
/** A name before the name of a network, as in `robin_nv on Telegram`. */
const NAME_FIRST = new RegExp(
  String.raw`(?:^|[^\w@.])(?<found>[\p{L}_][\w.]{0,40}[_\d][\w.]{0,40})${BEFORE_NETWORK}`,
  'dgiu',
);
/** A name with a full stop before the name of a network. Two sentences without a space may look the same. */
const DOTTED_NAME_FIRST = new RegExp(
  String.raw`(?:^|[^\w@.])(?<found>[a-z]\w{2,30}\.[a-z]\w{1,30})${BEFORE_NETWORK}`,
  'dgiu',
);
const AFTER_NETWORK =
  String.raw`(?=[^\p{L}\p{N}]{0,9}(?:\n|$)|\s?[.!?,;)/&]` +
  String.raw`|\s(?:and|or|if|for|too|only|und|oder|für|et|ou|pour|e|o|per|y|para)(?!\p{L}))`;
/** A name without digits before the name of a network, at the start of a sentence. */
const NAME_AT_START = new RegExp(
  String.raw`(?:^|[\n.,;:!?()|/•·]|[^\x00-\xFF\p{L}\p{N}])[ ]{0,2}` +
    String.raw`(?<found>[a-z]{4,40})${BEFORE_NETWORK}${AFTER_NETWORK}`,
  'dgiu',
);
/** A name without digits after a word that announces it, before the name of a network. */
const NAME_AFTER_CUE = new RegExp(
  String.raw`\b(?:am|as|is|i'm|it's|add|find|follow|search|name|user|bin|ich|suis|sono|soy)\s(?<found>[a-z]{4,40})` +
    BEFORE_NETWORK +
    AFTER_NETWORK,
  'dgiu',
);

/** A name with a digit, an underscore or a full stop is no word of a sentence. */
const UNUSUAL = /[_\d#]|\w[.:]\w{2}/u;
/** A full stop without space before the next sentence, as in `daily.Call`. */
const NEXT_SENTENCE = /\.[A-Z][a-z]+$/u;
const NEXT_WORD = /^\s+(?:-\s|(?!(?:or|and|for|on)\b)\p{L})/iu;
/** The text after a name at the end of a line, of a sentence or of a part of it. */
const AFTER_NAME =
  /^(?:[^\p{L}\p{N}]*(?:\n|$)|\s?[.!?,;()\]|/•·&+]|\s?[^\x00-\xFF\p{L}\p{N}]|\s+(?:-|and|or|for|on|if|add|text|txt|dm|msg|message|hit|follow|please|pls|xo|xoxo|und|oder|für|wenn|et|ou|pour|e|o|per|y|para|si)(?!\p{L}))/iu;
/** A negation before the name of a network, as in `I am not on Telegram anymore`. */
const NEGATION =
  /(?<!\p{L})(?:no|not|never|without|n[’']t|don[’']?t|kein|keine|keinen|nicht|nie|pas|jamais|sans|non|niente|mai|nunca|sin)\s[^.,;:!?\n]{0,24}$/iu;
/** The endings of nouns and verbs, which are usual after the name of a network. */
const WORD_ENDING =
  /.{3}(?:ings?|tions?|ments?|able|ible|ness|ung|ungen|keit|heit|lich|mente|zione|zioni|cion|ieren|iert|chen)$/iu;

/** Checks for a word of Latin letters that is not a word of a sentence. */
const isName = (word: string): boolean =>
  /^[a-z]{4,40}$/iu.test(word) && !isCommonWord(word) && !WORD_ENDING.test(word);

/** Checks for the only name on the rest of a line after a picture, as in `insta 📸 robinnights`. */
const isLastAfterPicture = (text: string, [start, end]: Range): boolean =>
  /^[a-z]{5,40}$/u.test(text.slice(start, end)) &&
  /[^\x00-\xFF\p{L}\p{N}]\s?$/u.test(text.slice(Math.max(0, start - 3), start)) &&
  !isCommonWord(text.slice(start, end)) &&
  /^\s*(?:\n|$)/u.test(text.slice(end, end + 20));

/** Returns the names that patterns find. `isAccepted` decides about a name that may be a word of a sentence. */
function findNames(
  text: string,
  patterns: readonly RegExp[],
  isAccepted: (range: Range, after: string) => boolean,
): readonly Range[] {
  return findAll(text, patterns).flatMap(([start, end]): readonly Range[] => {
    const sentence = /^\s+\p{L}/u.test(text.slice(end, end + 9)) ? NEXT_SENTENCE.exec(text.slice(start, end)) : null;
    const range = trimEnd(text, [start, end - (sentence?.[0].length ?? 0)]);
    const word = text.slice(...range);
    if (isNoNickname(word)) return [];
    if (UNUSUAL.test(word) || word.startsWith('@')) return [range];
    return isAccepted(range, text.slice(range[1], range[1] + 20)) ? [range] : [];
  });
}

/** Most texts contain no name of a network. This pattern finds it out in a short time. */
const MAY_HAVE_NICKNAME = new RegExp(
  String.raw`${START}(?:${NETWORKS}|${WORD_NETWORKS}|of|qq|TER)(?!\p{L})|[微薇v]信|微x|[📸📷👻]`,
  'iu',
);

/** Returns the ranges of names in messengers and other networks in a readable text. */
export function findNicknames(text: string): readonly Range[] {
  if (!MAY_HAVE_NICKNAME.test(text)) return [];
  const isNameAtEnd = (range: Range, after: string) =>
    isName(text.slice(...range)) &&
    AFTER_NAME.test(after) &&
    !NEGATION.test(text.slice(Math.max(0, range[0] - 40), range[0]));
  return [
    ...findNames(text, WITH_SIGN, (range, after) => {
      const word = text.slice(...range);
      return !NEXT_WORD.test(after) || isNameAtEnd(range, after) || (isName(word) && /^[a-z]/u.test(word));
    }),
    ...findNames(text, [NAME_FIRST], () => false),
    ...findAll(text, [DOTTED_NAME_FIRST]).filter((range) => !isCommonWord(text.slice(...range).split('.', 1)[0] ?? '')),
    ...findNames(text, WITHOUT_SIGN, (range, after) => isLastAfterPicture(text, range) || isNameAtEnd(range, after)),
    // In `WhatsApp | Lena | Bern`, the name is not one of the network.
    ...findNames(
      text,
      [OTHER_SIGN],
      (range, after) => isNameAtEnd(range, after) && /^[a-z]/u.test(text.slice(range[0])),
    ),
    // Most sentences begin with a capital letter.
    ...findNames(text, [NAME_AT_START], ([start, end]) => {
      const word = text.slice(start, end);
      return isName(word) && /^[a-z]|[a-z][A-Z]/u.test(word);
    }),
    ...findNames(text, [NAME_AFTER_CUE], (range) => isName(text.slice(...range))),
    ...findNames(text, WORD_NETWORK_PATTERNS, () => false),
    ...findAll(text, USUAL_FORMS),
    ...(text.includes('$') ? findAll(text, CASH_PATTERNS) : []),
  ];
}
