import { Fragment } from 'react';
import { markWords } from '@alpenglow/domain/contracts';

export interface HighlightProps {
  readonly text: string;
  /** Beginnings of the words to mark, in lower case and without accents, as `splitWords` returns them. */
  readonly words: readonly string[];
}

/** Shows a text and marks the words that a search has found. The text is never interpreted as HTML. */
export function Highlight({ text, words }: HighlightProps) {
  if (words.length === 0) return text;
  return markWords(text, words).map((part, index) =>
    part.isMatch ? <mark key={index}>{part.text}</mark> : <Fragment key={index}>{part.text}</Fragment>,
  );
}
