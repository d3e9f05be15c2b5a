import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { showProgress } from '../tools/progress.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }));
afterEach(() => void vi.useRealTimers());

function openProgress(isTTY: boolean, columns = 200) {
  const written: string[] = [];
  const stream = { isTTY, columns, write: (text: string) => written.push(text) > 0 };
  return { progress: showProgress('Saving', 'events', stream), written };
}

test('work of less than half a second shows nothing', () => {
  const { progress, written } = openProgress(true);
  progress.update(1, 0.5);
  vi.advanceTimersByTime(400);
  progress.update(2, 1);
  progress.stop();
  expect(written).toEqual([]);
});

test('a terminal has one line, which ends with the work', () => {
  const { progress, written } = openProgress(true);
  for (const done of [2_500, 3_000, 10_000]) {
    vi.advanceTimersByTime(1_000);
    progress.update(done, done / 10_000);
    progress.update(done, done / 10_000);
  }
  progress.stop();
  progress.update(10_000, 1);
  expect(written.map((text) => text.replace('\r\u001b[2K', '>'))).toEqual([
    `>Saving ${'='.repeat(10)}${'-'.repeat(30)} 25% | 2,500 events | 2,500/s | 3 s left`,
    `>Saving ${'='.repeat(12)}${'-'.repeat(28)} 30% | 3,000 events | 1,500/s | 5 s left`,
    `>Saving ${'='.repeat(40)} 100% | 10,000 events | 3,333/s | 0 s left`,
    '\n',
  ]);
});

test('a line is not longer than the terminal is wide', () => {
  const { progress, written } = openProgress(true, 20);
  vi.advanceTimersByTime(1_000);
  progress.update(1, 0.5);
  expect(written).toEqual(['\r\u001b[2KSaving =============']);
});

test('without a terminal, there is at most one line a second', () => {
  const { progress, written } = openProgress(false);
  for (let done = 1; done <= 30; done += 1) {
    vi.advanceTimersByTime(100);
    progress.update(done, done / 30);
  }
  progress.stop();
  expect(written.map((text) => /\d+ events/u.exec(text)?.[0])).toEqual([
    '5 events',
    '15 events',
    '25 events',
    '30 events',
  ]);
});
