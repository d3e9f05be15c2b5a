import { setImmediate as turn, setTimeout as pause } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { gathered } from '../src/gathered.ts';

/** A look-up that records what it was asked together, and answers when told. */
function recording(options?: { max: number }) {
  const asked: (readonly number[])[] = [];
  const answer: (() => void)[] = [];
  const find = gathered(
    (keys: readonly number[]) =>
      new Promise<readonly string[]>((resolve, reject) => {
        asked.push(keys);
        answer.push(() =>
          keys.includes(-1) ? reject(new Error('no such key')) : resolve(keys.map((key) => `found ${key}`)),
        );
      }),
    options,
  );
  return { asked, answer, find };
}

describe('gathered look-ups', () => {
  afterEach(() => void vi.useRealTimers());

  it('ask once for what was asked for in one turn, and answer each its own', async () => {
    const { asked, answer, find } = recording();
    const found = Promise.all([find(1), find(2), find(2)]);
    await turn();
    answer[0]?.();
    expect(await found).toEqual(['found 1', 'found 2', 'found 2']);
    expect(asked).toEqual([[1, 2, 2]]);
  });

  it('gather while one is under way', async () => {
    // On a busy machine one could else be taken for slow.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { asked, answer, find } = recording();
    const first = find(1);
    await turn();
    const second = find(2);
    await turn();
    const third = find(3);
    expect(asked).toEqual([[1]]);
    answer[0]?.();
    await first;
    await turn();
    expect(asked).toEqual([[1], [2, 3]]);
    answer[1]?.();
    expect(await Promise.all([second, third])).toEqual(['found 2', 'found 3']);
  });

  it('do not wait for one that is slow', async () => {
    const { asked, answer, find } = recording();
    const slow = find(1);
    await turn();
    const quick = find(2);
    await pause(60);
    expect(asked).toEqual([[1], [2]]);
    answer[1]?.();
    expect(await quick).toBe('found 2');
    answer[0]?.();
    expect(await slow).toBe('found 1');
  });

  it('ask for no more than the most at a time, and go on after a failure', async () => {
    const { asked, answer, find } = recording({ max: 2 });
    const found = Promise.allSettled([find(1), find(-1), find(3)]);
    await turn();
    answer[0]?.();
    await turn();
    await turn();
    answer[1]?.();
    expect((await found).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled']);
    expect(asked).toEqual([[1, -1], [3]]);
  });
});
