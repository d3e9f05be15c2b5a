import { expect, test } from 'vitest';
import { createSerialRunner } from '../src/service/serial-runner.ts';

/** Returns work that ends with the value that the test passes to `resolve`. */
function createWork(log: string[], name: string) {
  let resolve: (value: string) => void = () => undefined;
  const result = new Promise<string>((settle) => {
    resolve = settle;
  });
  const run = () => {
    log.push(`${name} begins`);
    return result.finally(() => log.push(`${name} ends`));
  };
  return { run, resolve: (value: string) => resolve(value) };
}

test('work with the same key runs in order, one after the other; other keys do not wait', async () => {
  const runInTurn = createSerialRunner();
  const log: string[] = [];
  const [first, second, third, other] = ['first', 'second', 'third', 'other'].map((name) => createWork(log, name));
  if (!first || !second || !third || !other) throw new Error('Expected four items');
  const results = [
    runInTurn('a', first.run),
    runInTurn('a', second.run),
    runInTurn('a', third.run),
    runInTurn('b', other.run),
  ];
  expect(log).toEqual(['first begins', 'other begins']);
  third.resolve('3');
  second.resolve('2');
  other.resolve('o');
  expect(await results[3]).toBe('o');
  expect(log).toEqual(['first begins', 'other begins', 'other ends']);
  first.resolve('1');
  expect(await Promise.all(results)).toEqual(['1', '2', '3', 'o']);
  expect(log.slice(3)).toEqual(['first ends', 'second begins', 'second ends', 'third begins', 'third ends']);
});

test('a failure rejects only its own call, and the next work starts', async () => {
  const runInTurn = createSerialRunner();
  const failing = runInTurn('a', () => Promise.reject(new Error('failed')));
  const next = runInTurn('a', () => Promise.resolve('done'));
  await expect(failing).rejects.toThrow('failed');
  expect(await next).toBe('done');
});

test('work starts at once if no other work of its key is running', async () => {
  const runInTurn = createSerialRunner();
  await runInTurn('a', () => Promise.resolve());
  let hasBegun = false;
  const again = runInTurn('a', () => {
    hasBegun = true;
    return Promise.resolve();
  });
  expect(hasBegun).toBe(true);
  await again;
});
