import { markWords } from '@alpenglow/domain/contracts';
import { ContactMarks } from './contact-marks.tsx';

export interface HighlightProps {
  readonly text: string;
  /** Beginnings of the words to mark, in lower case and without accents, as `splitWords` returns them. */
  readonly words: readonly string[];
}

/**
 * Shows a text and marks the words that a search has found. The marks of hidden contact details are no
 * buttons, because most of these texts are in links. The text is never interpreted as HTML.
 */
export function Highlight({ text, words }: HighlightProps) {
  if (words.length === 0) return <ContactMarks text={text} isLinked />;
  return markWords(text, words).map((part, index) =>
    part.isMatch ? <mark key={index}>{part.text}</mark> : <ContactMarks key={index} text={part.text} isLinked />,
  );
}
