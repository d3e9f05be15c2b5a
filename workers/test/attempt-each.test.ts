import { BlobStoreDenied, BlobStoreUnavailable, EventStoreUnavailable } from '@alpenglow/domain';
import { createLogger } from '@alpenglow/infra';
import { expect, test, vi } from 'vitest';
import { attemptEach, attemptParts, ItemsFailed } from '../src/attempt-each.ts';

function createOptions(signal?: AbortSignal) {
  const log = createLogger('silent');
  const warn = vi.spyOn(log, 'warn');
  const options = { task: 'sweep', nameOf: (item: number) => `item-${item}`, log, signal };
  const readLogged = () => warn.mock.calls.map(([fields]) => (fields as { item?: string }).item ?? null);
  return { options, readLogged };
}

test('every item is processed, each failure is logged, and the errors are reported at the end', async () => {
  const { options, readLogged } = createOptions();
  const done: number[] = [];
  const attempted = attemptEach(
    [1, 2, 3, 4],
    async (item) => {
      if (item % 2 === 0) throw new Error(`failure of ${item}`);
      done.push(item);
    },
    options,
  );
  await expect(attempted).rejects.toThrow('2 items failed (sweep): failure of 2');
  await expect(attempted).rejects.toMatchObject({ errors: [new Error('failure of 2'), new Error('failure of 4')] });
  expect(done).toEqual([1, 3]);
  expect(readLogged()).toEqual(['item-2', 'item-4']);
});

test('the error contains the first twenty failures, and the log contains all of them', async () => {
  const { options, readLogged } = createOptions();
  const items = Array.from({ length: 30 }, (_, index) => index);
  const failed = await attemptEach(items, () => Promise.reject(new Error('no')), options).catch(
    (error: unknown) => error,
  );
  expect(failed).toBeInstanceOf(ItemsFailed);
  expect((failed as ItemsFailed).errors).toHaveLength(20);
  expect(readLogged()).toHaveLength(30);
});

test('items of a list that breaks off are processed, and the run counts as failed', async () => {
  const { options, readLogged } = createOptions();
  const done: number[] = [];
  async function* list() {
    yield 1;
    throw new Error('the list broke off');
  }
  await expect(attemptEach(list(), async (item) => done.push(item), options)).rejects.toThrow('the list broke off');
  expect(done).toEqual([1]);
  expect(readLogged()).toEqual([null]);
});

test.each([
  ['the event store is unavailable', new EventStoreUnavailable('down')],
  ['the blob store is unavailable', new BlobStoreUnavailable('down')],
  ['the blob store denies access', new BlobStoreDenied('down')],
])('a list ends at its first item that fails because %s', async (_reason, outage) => {
  const { options, readLogged } = createOptions();
  const errors: readonly Error[] = [new Error('item is damaged'), outage, outage];
  const work = vi.fn((item: number) => Promise.reject(errors[item] ?? new Error('no')));
  const attempted = attemptEach(errors.keys(), work, options);
  await expect(attempted).rejects.toThrow(ItemsFailed);
  await expect(attempted).rejects.toMatchObject({ failures: 2, errors: [errors[0], outage] });
  expect(work).toHaveBeenCalledTimes(2);
  expect(readLogged()).toEqual(['item-0', 'item-1']);
});

test('an outage in one part of a task stops no other part, because the part may use another service', async () => {
  const { options } = createOptions();
  const outage = () => Promise.reject(new BlobStoreUnavailable('down'));
  const work = vi.fn(outage);
  const list = () => attemptEach([1, 2], work, options);
  const last = vi.fn(async () => undefined);
  await expect(attemptParts({ first: outage, list, last }, options)).rejects.toMatchObject({ failures: 2 });
  expect(work).toHaveBeenCalledOnce();
  expect(last).toHaveBeenCalledOnce();
});

test('an abort ends the task at once', async () => {
  const stop = new AbortController();
  const { options, readLogged } = createOptions(stop.signal);
  const done: number[] = [];
  const attempted = attemptEach(
    [1, 2],
    async (item) => {
      done.push(item);
      stop.abort(new Error('stopped'));
      throw new Error('a consequence of the abort');
    },
    options,
  );
  await expect(attempted).rejects.toThrow('stopped');
  expect(done).toEqual([1]);
  expect(readLogged()).toEqual([]);
});

test('a part of a task that fails stops no other part, and its items are logged once', async () => {
  const { options, readLogged } = createOptions();
  const second = vi.fn(async () => undefined);
  const parts = { first: () => attemptEach([1], () => Promise.reject(new Error('no')), options), second };
  await expect(attemptParts(parts, options)).rejects.toThrow(ItemsFailed);
  expect(second).toHaveBeenCalledOnce();
  expect(readLogged()).toEqual(['item-1']);
});
