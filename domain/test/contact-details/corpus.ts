import { readFileSync } from 'node:fs';
import path from 'node:path';

/** A range of a text in UTF-16 units. */
interface Span {
  readonly start: number;
  readonly end: number;
}

/** A line of the corpus without its labels. `spans` are the ranges of its contact details. */
export interface LabelledLine {
  readonly text: string;
  readonly spans: readonly Span[];
}

const ESCAPE = /\\(?:n|u\{([0-9A-F]+)\})/gu;
const unescape = (line: string) =>
  line.replaceAll(ESCAPE, (_, code?: string) => (code === undefined ? '\n' : String.fromCodePoint(parseInt(code, 16))));

function parseLine(line: string): LabelledLine {
  const spans: Span[] = [];
  let text = '';
  unescape(line)
    .split(/[«»]/u)
    .forEach((part, index) => {
      if (index % 2 === 1) spans.push({ start: text.length, end: text.length + part.length });
      text += part;
    });
  return { text, spans };
}

/** Reads a file of labelled lines. Its first lines describe the format. */
export const readCorpus = (name: string): readonly LabelledLine[] =>
  readFileSync(path.join(import.meta.dirname, name), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !/^#+ /u.test(line))
    .map(parseLine);

const LETTER_OR_DIGIT = /[\p{L}\p{N}]/u;
/** Returns the positions of the letters and digits in ranges of a text. Punctuation at an edge does not matter. */
const positionsIn = (text: string, spans: readonly Span[]) =>
  new Set(
    spans.flatMap(({ start, end }) =>
      Array.from({ length: end - start }, (_, index) => start + index).filter((position) =>
        LETTER_OR_DIGIT.test(String.fromCodePoint(text.codePointAt(position) ?? 0)),
      ),
    ),
  );

const isWithin = (positions: ReadonlySet<number>, others: ReadonlySet<number>) =>
  [...positions].every((position) => others.has(position));

/**
 * Compares found ranges with the labels. A label is found if each of its letters and digits is. A found range is
 * correct if each of its letters and digits has a label.
 */
export function compareWithLabels(
  lines: readonly LabelledLine[],
  find: (text: string) => readonly Span[],
): { readonly precision: number; readonly recall: number; readonly mistakes: readonly string[] } {
  const counts = { labels: 0, found: 0, ranges: 0, correct: 0 };
  const mistakes: string[] = [];
  for (const { text, spans } of lines) {
    const ranges = find(text);
    const [labelled, hidden] = [positionsIn(text, spans), positionsIn(text, ranges)];
    const missed = spans.filter((span) => !isWithin(positionsIn(text, [span]), hidden));
    const wrong = ranges.filter((range) => !isWithin(positionsIn(text, [range]), labelled));
    counts.labels += spans.length;
    counts.found += spans.length - missed.length;
    counts.ranges += ranges.length;
    counts.correct += ranges.length - wrong.length;
    const quote = ({ start, end }: Span) => JSON.stringify(text.slice(start, end));
    mistakes.push(...missed.map((span) => `missed ${quote(span)} in ${JSON.stringify(text)}`));
    mistakes.push(...wrong.map((range) => `wrongly hidden ${quote(range)} in ${JSON.stringify(text)}`));
  }
  return { precision: counts.correct / counts.ranges, recall: counts.found / counts.labels, mistakes };
}
