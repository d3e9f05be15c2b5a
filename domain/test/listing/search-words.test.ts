import { describe, expect, test } from 'vitest';
import { SEARCH_WORD_MAX, extractSearchWords } from '../../src/listing/search-words.ts';

describe('the search words of a text', () => {
  test.each([
    ['Ünhurried Çafé', ['unhurried', 'cafe']],
    ["don't stop-me_now", ['don', 't', 'stop', 'me', 'now']],
    ['calm CALM Calm', ['calm']],
    ['İstanbul', ['istanbul']],
    ['℡ ﬁne', ['tel', 'fine']],
    ['Привет мир', ['привет', 'мир']],
    ['24/7', ['24', '7']],
    [`'; drop table --`, ['drop', 'table']],
    ['!!! … \u{1f600}', []],
    ['', []],
  ])('%s', (text, words) => {
    expect(extractSearchWords(text, 100)).toEqual(words);
  });
  test('cut a long word between two characters', () => {
    const [word = ''] = extractSearchWords('\u{1d50}\u{20000}'.repeat(40), 1);
    expect([...word]).toHaveLength(SEARCH_WORD_MAX);
    expect(word.isWellFormed()).toBe(true);
  });
  test('are limited to the maximum', () => {
    expect(extractSearchWords('a b c d', 2)).toEqual(['a', 'b']);
  });
});
