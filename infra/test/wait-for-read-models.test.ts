import { describe, expect, test } from 'vitest';
import { waitForReadModels } from '../src/service/wait-for-read-models.ts';

describe('a wait at the start', () => {
  test('ends when nothing is missing, and reports until then what is missing', async () => {
    const reported: (readonly string[])[] = [];
    const results = [['a', 'b'], ['b'], ['b'], []];
    await waitForReadModels(async () => results.shift() ?? [], {
      signal: new AbortController().signal,
      onWaiting: (missing) => reported.push(missing),
      reportEvery_ms: 0,
    });
    expect(reported).toEqual([['a', 'b'], ['b'], ['b']]);
  });

  test('gives up after its time limit, and lists what is missing', async () => {
    const wait = waitForReadModels(async () => ['ad_cards version 12 (no process has filled it yet)'], {
      signal: AbortSignal.timeout(1),
    });
    await expect(wait).rejects.toThrow(
      'These read models are not ready in time: ad_cards version 12 (no process has filled it yet)',
    );
  });

  test('ends with the reason of the abort if the process stops', async () => {
    const stopping = new AbortController();
    const wait = waitForReadModels(
      async () => {
        stopping.abort();
        return ['ad_cards version 12'];
      },
      { signal: stopping.signal },
    );
    await expect(wait).rejects.toMatchObject({ name: 'AbortError' });
  });
});
