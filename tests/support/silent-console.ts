import { afterEach, beforeEach, expect, vi } from 'vitest';

/** An unexpected `console.error` or `console.warn` fails the test. A test that expects one spies on it itself. */
const heard: string[] = [];

const listener =
  (level: string) =>
  (...words: unknown[]): void => {
    heard.push(`console.${level}: ${words.map(String).join(' ')}`);
  };

beforeEach(() => {
  heard.length = 0;
  vi.spyOn(console, 'error').mockImplementation(listener('error'));
  vi.spyOn(console, 'warn').mockImplementation(listener('warn'));
});

afterEach(() => {
  expect(heard, 'the console was to stay silent').toEqual([]);
});
