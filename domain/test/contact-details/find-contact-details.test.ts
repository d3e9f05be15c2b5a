import { expect, test } from 'vitest';
import { findContactDetails } from '../../src/contact-details/find-contact-details.ts';
import { compareWithLabels, readCorpus } from './corpus.ts';

test.each(['corpus-tuning.txt', 'corpus-held-out.txt'])('precision and recall of %s are at least 0.97', (name) => {
  const { precision, recall, mistakes } = compareWithLabels(readCorpus(name), findContactDetails);
  expect(Math.min(precision, recall), mistakes.join('\n')).toBeGreaterThanOrEqual(0.97);
});

test('telephone numbers in compound number words of four languages are found, and no other numbers', () => {
  const { mistakes } = compareWithLabels(readCorpus('corpus-number-words.txt'), findContactDetails);
  expect(mistakes).toEqual([]);
});

test('the results of the last long texts are stored, so that each view of an ad is not a new search', () => {
  const texts = Array.from({ length: 1_001 }, (_, number) => `${'A quiet evening. '.repeat(20)}${number} 702 555 0142`);
  const [first = '', second = ''] = texts;
  const results = [first, second].map(findContactDetails);
  for (const text of texts.slice(2, 1_000)) findContactDetails(text);
  expect(findContactDetails(first)).toBe(results[0]);
  findContactDetails(texts[1_000] ?? '');
  expect(findContactDetails(first)).toBe(results[0]);
  expect(findContactDetails(second)).not.toBe(results[1]);
  expect(findContactDetails(second)).toEqual(results[1]);
});
