// Removes the web storage of Node ≥ 25, so that tests run the same with every version.
import '../../shell/server/rendering/no-web-storage.ts';
import { afterEach, beforeEach, expect, vi } from 'vitest';

/**
 * Unexpected calls of `console.error` and `console.warn`, and warnings of Node, for example about deprecated functions.
 * They make a test fail. A test that expects such a call replaces the spy.
 */
const messages: string[] = [];

const listener =
  (level: string) =>
  (...args: unknown[]): void => {
    messages.push(`console.${level}: ${args.map(String).join(' ')}`);
  };

const recordWarning = ({ name, message }: Error) => {
  // The number of listeners depends on how much a busy machine does at the same time.
  if (name !== 'MaxListenersExceededWarning') messages.push(`${name}: ${message}`);
};

beforeEach(() => {
  messages.length = 0;
  process.on('warning', recordWarning);
  vi.spyOn(console, 'error').mockImplementation(listener('error'));
  vi.spyOn(console, 'warn').mockImplementation(listener('warn'));
});

afterEach(() => {
  process.off('warning', recordWarning);
  expect(messages, 'there are no errors and warnings on the console or of Node').toEqual([]);
});
