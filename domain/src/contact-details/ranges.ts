/** A range of a readable text. */
export type Range = readonly [start: number, end: number];

const PUNCTUATION = '.,;:!?)]-';

/** Returns a range without the punctuation at its end. */
export function trimEnd(text: string, [start, end]: Range): Range {
  let last = end;
  while (last > start && PUNCTUATION.includes(text.charAt(last - 1))) last -= 1;
  return [start, last];
}

/** Returns the ranges of the group `found` of all matches of patterns. */
export const findAll = (text: string, patterns: readonly RegExp[]): readonly Range[] =>
  patterns.flatMap((pattern) =>
    Array.from(text.matchAll(pattern)).flatMap(({ indices }): readonly Range[] => {
      const range = indices?.groups?.['found'];
      return range ? [range] : [];
    }),
  );

/** Checks whether a text after a range is the end of the line, or of a sentence. */
export const isLineEnd = (after: string): boolean => /^(?:[^\p{L}\p{N}]*(?:\n|$)|\s?[.!?;)](?:\s|$))/u.test(after);
