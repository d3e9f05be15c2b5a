import { DomainError, SHARED_DUPLICATE_MIN_characters, errorMessage, type PostContent } from '@alpenglow/domain';
import { renderMarkdown } from '@alpenglow/infra';
import { computeFingerprint } from './fingerprint.ts';

/**
 * The parsed text of a post. Only a long text is checked for duplicates, because two people may write the same short
 * text by chance. `isLong` is true for such a long text.
 */
export interface ParsedPostText extends PostContent {
  readonly isLong: boolean;
}

/**
 * Returns the parts of a post's Markdown text that the posting rules check, e.g. the number of links. Throws
 * REQUIRED_FIELDS if no text is visible.
 */
export function parsePostText(body: string): ParsedPostText {
  const { text, links } = renderMarkdown(body, 'post');
  requireVisible('body', text);
  return { body, fingerprint: computeFingerprint(text), links, isLong: text.length >= SHARED_DUPLICATE_MIN_characters };
}

/** Matches a visible character. Spaces, joiners, fillers and the blank Braille pattern are not visible. */
const VISIBLE = /[^\s\p{C}\p{M}\p{Default_Ignorable_Code_Point}\u2800]/u;

/** Throws REQUIRED_FIELDS if a field contains no visible character. */
export function requireVisible(field: string, text: string): void {
  if (!VISIBLE.test(text))
    throw new DomainError('REQUIRED_FIELDS', {}, null, { [field]: errorMessage('REQUIRED_FIELDS') });
}
