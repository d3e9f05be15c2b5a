import { DomainError, DUPLICATE_OF_OTHERS_characters, errorMessage, type PostWords } from '@alpenglow/domain';
import { renderMarkdown } from '@alpenglow/infra';
import { fingerprintOf } from './fingerprint.ts';

/** Words as they are to be posted, and whether they are so many that nobody else writes the same by chance. */
export interface ReadWords extends PostWords {
  readonly isLong: boolean;
}

/** What of a post's Markdown the rules look at. Throws REQUIRED_FIELDS where a reader would see nothing of it. */
export function wordsOf(body: string): ReadWords {
  const { text, links } = renderMarkdown(body, 'post');
  requireVisible('body', text);
  return { body, fingerprint: fingerprintOf(text), links, isLong: text.length >= DUPLICATE_OF_OTHERS_characters };
}

/** Something that leaves ink: spaces of all kinds, joiners, fillers and the blank of Braille do not. */
const VISIBLE = /[^\s\p{C}\p{M}\p{Default_Ignorable_Code_Point}\u2800]/u;

/** Throws REQUIRED_FIELDS where a field is filled in with nothing that can be seen. */
export function requireVisible(field: string, text: string): void {
  if (!VISIBLE.test(text))
    throw new DomainError('REQUIRED_FIELDS', {}, null, { [field]: errorMessage('REQUIRED_FIELDS') });
}
