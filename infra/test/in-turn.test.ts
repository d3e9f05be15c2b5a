import { expect, test } from 'vitest';
import { createTurns } from '../src/in-turn.ts';

/** Work that ends when it is told to, with what it is told. */
function work(log: string[], name: string) {
  let resolve: (value: string) => void = () => undefined;
  const told = new Promise<string>((settle) => {
    resolve = settle;
  });
  const run = () => {
    log.push(`${name} begins`);
    return told.finally(() => log.push(`${name} ends`));
  };
  return { run, resolve: (value: string) => resolve(value) };
}

test('of one key each waits for the one before, in the order in which they came; other keys wait for none', async () => {
  const inTurn = createTurns();
  const log: string[] = [];
  const [first, second, third, other] = ['first', 'second', 'third', 'other'].map((name) => work(log, name));
  if (!first || !second || !third || !other) throw new Error('There are four');
  const answers = [inTurn('a', first.run), inTurn('a', second.run), inTurn('a', third.run), inTurn('b', other.run)];
  expect(log).toEqual(['first begins', 'other begins']);
  third.resolve('3');
  second.resolve('2');
  other.resolve('o');
  expect(await answers[3]).toBe('o');
  expect(log).toEqual(['first begins', 'other begins', 'other ends']);
  first.resolve('1');
  expect(await Promise.all(answers)).toEqual(['1', '2', '3', 'o']);
  expect(log.slice(3)).toEqual(['first ends', 'second begins', 'second ends', 'third begins', 'third ends']);
});

test('what fails is told to whoever asked for it, and the next one begins', async () => {
  const inTurn = createTurns();
  const failing = inTurn('a', () => Promise.reject(new Error('not this time')));
  const next = inTurn('a', () => Promise.resolve('done'));
  await expect(failing).rejects.toThrow('not this time');
  expect(await next).toBe('done');
});

test('a key whose work is done begins at once again', async () => {
  const inTurn = createTurns();
  await inTurn('a', () => Promise.resolve());
  let hasBegun = false;
  const again = inTurn('a', () => {
    hasBegun = true;
    return Promise.resolve();
  });
  expect(hasBegun).toBe(true);
  await again;
});
