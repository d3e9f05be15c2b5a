import { describe, expect, it } from 'vitest';
import { truncateText } from '../src/truncate-text.ts';

describe('truncateText', () => {
  it('cuts between words, or within a very long word', () => {
    expect(truncateText('short', 10)).toBe('short');
    expect(truncateText(' one\n two ', 10)).toBe('one two');
    expect(truncateText('one two, three four', 10)).toBe('one two…');
    expect(truncateText('a'.repeat(20), 10)).toBe(`${'a'.repeat(10)}…`);
    expect(truncateText(`${'a'.repeat(9)}😀😀`, 10)).toMatch(/^a{9}\uFFFD?…$/u);
  });
});
