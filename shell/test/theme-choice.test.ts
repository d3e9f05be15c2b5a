import { expect, it } from 'vitest';
import { parseTheme, themeCookie } from '../src/theme/theme-choice.ts';

it.each([
  ['light', 'light'],
  ['dark', 'dark'],
  ['system', 'system'],
  [null, 'system'],
  ['"><script>', 'system'],
])('%j is parsed as %s', (stored, theme) => {
  expect(parseTheme(stored)).toBe(theme);
});

it('the cookie stores a choice, and is deleted without one', () => {
  expect(themeCookie('dark', true)).toBe('theme=dark; Path=/; Max-Age=31536000; SameSite=Lax; Secure');
  expect(themeCookie('system', false)).toBe('theme=; Path=/; Max-Age=0; SameSite=Lax');
});
