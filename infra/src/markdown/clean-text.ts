import { removeDirectionControls } from '@alpenglow/domain';

/**
 * Matches characters that XML cannot contain: control characters except tab and newline, and noncharacters of Unicode.
 */
const CONTROLS = /[\0-\x08\x0B-\x1F\x7F-\x9F]|\p{Noncharacter_Code_Point}/gu;

/**
 * Removes control characters and characters that change the text direction, and replaces unpaired surrogates. All line
 * breaks become newlines. Emoji and the letters of all scripts are unchanged.
 */
export function removeControlCharacters(text: string): string {
  return removeDirectionControls(text.replace(/\r\n?|[\u2028\u2029]/gu, '\n').replace(CONTROLS, '')).toWellFormed();
}
