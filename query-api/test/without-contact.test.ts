import { describe, expect, it, test } from 'vitest';
import { beginningOf, withoutContact } from '../src/pages/without-contact.ts';

describe('ways to reach somebody', () => {
  test.each([
    ['Call +1 (702) 555-0142 now', 'Call now'],
    ['7025550142', ''],
    ['seven 7 0 2 . 5 5 5 . 0 1 4 2', 'seven'],
    ['write to me.here+x@mail.example please', 'write to please'],
    ['me (at) mail (dot) example', ''],
    ['see https://a.example/b?c=d and www.b.example', 'see and'],
    ['on my-page.com/me', 'on'],
    ['insta: @some.one, really', 'insta: , really'],
    ['me＠mail.example', ''],
    ['７０２５５５０１４２ in wide digits', 'in wide digits'],
    ['٧٠٢٥٥٥٠١٤٢ in others', 'in others'],
  ])('%s', (text, expected) => {
    expect(withoutContact(text)).toBe(expected);
  });

  test.each(['250 / h, from 18 to 22', 'I am 27, 1.70 m. No. 1 in 2026!', 'Co-founder, e.g. of nothing. Well…'])('%s stays', (text) => {
    expect(withoutContact(text)).toBe(text);
  });

  it('is quick whatever is written', () => {
    const started = performance.now();
    for (const part of ['a.', '1 ', '@', 'a@', '(at)', 'www.', '1-', '. ']) withoutContact(part.repeat(600 / part.length));
    expect(performance.now() - started).toBeLessThan(500);
  });
});

describe('a beginning', () => {
  it('ends between words, or within a very long one', () => {
    expect(beginningOf('short', 10)).toBe('short');
    expect(beginningOf('one two, three four', 10)).toBe('one two…');
    expect(beginningOf('a'.repeat(20), 10)).toBe(`${'a'.repeat(10)}…`);
    expect(beginningOf(`${'a'.repeat(9)}😀😀`, 10)).toMatch(/^a{9}\uFFFD?…$/u);
  });
});
