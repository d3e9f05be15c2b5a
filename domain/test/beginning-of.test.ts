import { describe, expect, it } from 'vitest';
import { beginningOf } from '../src/beginning-of.ts';

describe('a beginning', () => {
  it('ends between words, or within a very long one', () => {
    expect(beginningOf('short', 10)).toBe('short');
    expect(beginningOf(' one\n two ', 10)).toBe('one two');
    expect(beginningOf('one two, three four', 10)).toBe('one two…');
    expect(beginningOf('a'.repeat(20), 10)).toBe(`${'a'.repeat(10)}…`);
    expect(beginningOf(`${'a'.repeat(9)}😀😀`, 10)).toMatch(/^a{9}\uFFFD?…$/u);
  });
});
