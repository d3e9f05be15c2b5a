import { findMailAddresses } from './mail-addresses.ts';
import { findNicknames } from './nicknames.ts';
import { findAll, trimEnd, type Range } from './ranges.ts';
import { findWebAddresses } from './web-addresses.ts';

const HANDLE = /(?:^|[^\w@])(?<found>@(?:[\p{L}_][\w.]{1,40}|\s[\p{L}_][\w.]{0,40}[_\d][\w.]{0,40}))/dgu;
/** Words after @ that are a place or a time. */
const PLACES_AND_TIMES =
  /^(?:a|an|all|any|my|mine|yours?|ours?|his|hers?|their|the|this|that|home|house|work|noon|night|midnight|hotels?|airport|bar|once|least|most|last|first|bellagio|wynn|encore|aria|venetian|palazzo|caesars|luxor|excalibur|mirage|cosmo|cosmopolitan|vdara|hilton|marriott|hyatt|sheraton|westin|mandalay|delano|flamingo|harrahs|tropicana|vegas|reno|downtown|strip)$/iu;
/** The words after a place, as in `@Sahara tonight`. */
const TIME_AFTER =
  /^\s+(?:tonight|today|tomorrow|now|this\s|until|till|from\s|between\s|after\s|before\s|around\s|all\s|\d|mon|tue|wed|thu|fri|sat|sun|hotel|casino|resort|airport|mgm|world|palace|grand|place|bay|island|plaza|towers?|inn|suites?|station|mall|park)/iu;

/** A full stop without space before the next sentence, as in `@Wynn.Call me`. */
const NEXT_SENTENCE = /\.[A-Z][a-z]+$/u;

/** Checks whether a word after @ is the name of a person and not a place or a time. */
function isHandle(text: string, [start, end]: Range): boolean {
  const name = text.slice(start + 1, end);
  const [first = ''] = NEXT_SENTENCE.test(name) ? name.split('.', 1) : [name];
  if (PLACES_AND_TIMES.test(first) || /^['’]s\b/u.test(text.slice(end, end + 3))) return false;
  return !/^[A-Z][a-z]+$/u.test(name) || !TIME_AFTER.test(text.slice(end, end + 20));
}

/** Returns the ranges of addresses of mail, web and messengers in a readable text. */
export function findAddresses(text: string): readonly Range[] {
  const handles = text.includes('@') ? findAll(text, [HANDLE]).filter((range) => isHandle(text, range)) : [];
  return [
    ...findMailAddresses(text),
    ...findWebAddresses(text),
    ...handles.map((range) => trimEnd(text, range)),
    ...findNicknames(text),
  ];
}
