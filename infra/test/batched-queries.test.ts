import { setImmediate as turn, setTimeout as pause } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createBatcher } from '../src/service/batcher.ts';

/** Creates a batcher and records its batches. The nth function of `respond` completes the nth batch. */
function createRecordedQuery(options?: { max: number }) {
  const batches: (readonly number[])[] = [];
  const respond: (() => void)[] = [];
  const find = createBatcher(
    (keys: readonly number[]) =>
      new Promise<readonly string[]>((resolve, reject) => {
        batches.push(keys);
        respond.push(() =>
          keys.includes(-1) ? reject(new Error('no such key')) : resolve(keys.map((key) => `found ${key}`)),
        );
      }),
    options,
  );
  return { batches, respond, find };
}

describe('batched queries', () => {
  afterEach(() => void vi.useRealTimers());

  it('combine the calls of one event loop turn into a batch, and return a result to each call', async () => {
    const { batches, respond, find } = createRecordedQuery();
    const found = Promise.all([find(1), find(2), find(2)]);
    await turn();
    respond[0]?.();
    expect(await found).toEqual(['found 1', 'found 2', 'found 2']);
    expect(batches).toEqual([[1, 2, 2]]);
  });

  it('batch the calls that arrive while one is running', async () => {
    // Fake timers ensure that the first query does not count as slow on a busy machine.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { batches, respond, find } = createRecordedQuery();
    const first = find(1);
    await turn();
    const second = find(2);
    await turn();
    const third = find(3);
    expect(batches).toEqual([[1]]);
    respond[0]?.();
    await first;
    await turn();
    expect(batches).toEqual([[1], [2, 3]]);
    respond[1]?.();
    expect(await Promise.all([second, third])).toEqual(['found 2', 'found 3']);
  });

  it('do not wait for a slow batch', async () => {
    const { batches, respond, find } = createRecordedQuery();
    const slow = find(1);
    await turn();
    const quick = find(2);
    await pause(60);
    expect(batches).toEqual([[1], [2]]);
    respond[1]?.();
    expect(await quick).toBe('found 2');
    respond[0]?.();
    expect(await slow).toBe('found 1');
  });

  it('limit the size of a batch, and continue after a failure', async () => {
    const { batches, respond, find } = createRecordedQuery({ max: 2 });
    const found = Promise.allSettled([find(1), find(-1), find(3)]);
    await turn();
    respond[0]?.();
    await turn();
    await turn();
    respond[1]?.();
    expect((await found).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled']);
    expect(batches).toEqual([[1, -1], [3]]);
  });
});
