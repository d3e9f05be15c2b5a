import { afterEach, beforeEach, expect, vi } from 'vitest';

/**
 * Unexpected calls of `console.error` and `console.warn`, which make a test fail. A test that expects such a call
 * replaces the spy.
 */
const messages: string[] = [];

const listener =
  (level: string) =>
  (...args: unknown[]): void => {
    messages.push(`console.${level}: ${args.map(String).join(' ')}`);
  };

beforeEach(() => {
  messages.length = 0;
  vi.spyOn(console, 'error').mockImplementation(listener('error'));
  vi.spyOn(console, 'warn').mockImplementation(listener('warn'));
});

afterEach(() => {
  expect(messages, 'the console has no errors or warnings').toEqual([]);
});
