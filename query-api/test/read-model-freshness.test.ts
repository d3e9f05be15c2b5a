import { comparePositions, listing, START_POSITION, toStreamId, type Position } from '@alpenglow/domain';
import { type ReadModelProgress } from '@alpenglow/infra';
import { expect, test } from 'vitest';
import { eventually } from '../../tests/support/eventually.ts';
import { MAX_WAIT_ms } from '../../tests/support/max-wait.ts';
import { createMemoryEventStore } from '../../tests/support/memory-event-store.ts';
import { createReadModelFreshness } from '../src/uploads/read-model-freshness.ts';

const meta = {
  correlationId: 'c',
  causationId: null,
  actor: { kind: 'system', name: 'test' },
  at: '2026-11-21T12:00:00.000Z',
} as const;
const UNAVAILABLE = { code: 'UNAVAILABLE' };

/**
 * Creates an event log with the read models `a` and `b`, and a check of these whose clock the test moves. Without
 * `options`, a request does not wait for another check.
 */
function setUp(options?: Parameters<typeof createReadModelFreshness>[2]) {
  const log = createMemoryEventStore();
  const reached = new Map<string, Position>();
  const waiting = new Set<() => void>();
  let isLate = false;
  let now_ms = 0;
  let headReads = 0;
  let isDown = false;
  const progress = {
    // A wait for a late read model has reached its limit at once, so that no test waits.
    waitFor: (name: string, position: Position) =>
      new Promise<boolean>((resolve) => {
        const settle = () => {
          const isReached = comparePositions(reached.get(name) ?? START_POSITION, position) >= 0;
          if (isReached || isLate) resolve(isReached);
        };
        waiting.add(settle);
        settle();
      }),
  } as unknown as ReadModelProgress;
  const store = {
    ...log,
    readHead: async () => {
      headReads += 1;
      if (isDown) throw new Error('The event store does not respond');
      return log.readHead();
    },
  };
  const freshness = createReadModelFreshness(
    { store, progress },
    ['a', 'b'],
    options ?? { wait_ms: 0, now_ms: () => now_ms },
  );
  return {
    require: () => freshness.require(),
    wait: (time_ms: number) => {
      now_ms += time_ms;
    },
    async append() {
      const event = { id: crypto.randomUUID(), type: 'AdPosted', version: 1, data: {}, meta };
      await log.append(toStreamId(listing, event.id), [event], { expectedRevision: 'no-stream' });
    },
    async catchUp(...names: readonly string[]) {
      for (const name of names) reached.set(name, await log.readHead());
      for (const settle of waiting) settle();
    },
    /** From now on, read models that have not reached a position do not reach it in time. */
    beLate: () => {
      isLate = true;
    },
    stopStore: () => {
      isDown = true;
    },
    countHeadReads: () => headReads,
  };
}

test('an idle installation is never mistaken for one that lags', async () => {
  const { require, wait, append, catchUp } = setUp();
  await require();
  await append();
  await catchUp('a', 'b');
  for (let hour = 0; hour < 3; hour += 1) {
    wait(60 * 60_000);
    await require();
  }
});

test('read models that follow a constantly moving end of the log are fresh', async () => {
  const { require, wait, append, catchUp } = setUp();
  for (let round = 0; round < 20; round += 1) {
    // The read models contain the events of the last round only, so they never reach the current end of the log.
    await catchUp('a', 'b');
    await append();
    await (round === 0 ? undefined : require());
    wait(600);
    if (round === 0) void require();
  }
});

test.each(['a', 'b'])('a read model that has stopped (%s) makes files unavailable after 2 s', async (stopped) => {
  const { require, wait, append, catchUp, beLate } = setUp();
  beLate();
  await append();
  await catchUp('a', 'b');
  await require();
  await append();
  await catchUp(stopped === 'a' ? 'b' : 'a');
  wait(1_999);
  await require();
  wait(1);
  await expect(require()).rejects.toMatchObject(UNAVAILABLE);
  await catchUp('a', 'b');
  wait(1_000);
  await require();
});

test('late read models are not trusted at the start of a process or after a time without requests', async () => {
  const { require, wait, append, catchUp, beLate } = setUp();
  beLate();
  await append();
  await expect(require()).rejects.toMatchObject(UNAVAILABLE);
  await catchUp('a', 'b');
  wait(1_000);
  await require();
  await append();
  wait(60 * 60_000);
  await expect(require()).rejects.toMatchObject(UNAVAILABLE);
});

test('files are unavailable if the end of the log has been unreadable for 2 s', async () => {
  const { require, wait, stopStore } = setUp();
  await require();
  stopStore();
  wait(1_500);
  await require();
  wait(1_500);
  await expect(require()).rejects.toMatchObject(UNAVAILABLE);
});

test('many requests need one check a second', async () => {
  const { require, wait, countHeadReads } = setUp();
  await Promise.all(Array.from({ length: 500 }, require));
  expect(countHeadReads()).toBe(1);
  wait(999);
  await Promise.all(Array.from({ length: 500 }, require));
  expect(countHeadReads()).toBe(1);
  wait(1);
  await Promise.all(Array.from({ length: 500 }, require));
  expect(countHeadReads()).toBe(2);
});

test('a request waits while read models lag, and until they are complete', async () => {
  const { require, append, catchUp, beLate, countHeadReads } = setUp({ checkEvery_ms: 20, wait_ms: MAX_WAIT_ms });
  beLate();
  await append();
  const required = require();
  await eventually(() => expect(countHeadReads()).toBeGreaterThan(2));
  await catchUp('a', 'b');
  await required;
});
