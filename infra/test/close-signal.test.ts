import { EventEmitter } from 'node:events';
import type { Response } from 'express';
import { expect, onTestFinished, test } from 'vitest';
import { getCloseSignal, onClose } from '../src/http/close-signal.ts';

test('a closed response calls any number of functions in their order, without a warning of Node', async () => {
  const warnings: string[] = [];
  const onWarning = ({ name }: Error) => warnings.push(name);
  process.on('warning', onWarning);
  onTestFinished(() => void process.off('warning', onWarning));
  const res = new EventEmitter() as Response;
  const calls: number[] = [];
  const numbers = Array.from({ length: 20 }, (_, index) => index);
  for (const number of numbers) onClose(res, () => calls.push(number));
  const signal = getCloseSignal(res);
  expect(getCloseSignal(res)).toBe(signal);
  expect(calls).toEqual([]);
  expect(signal.aborted).toBe(false);
  res.emit('close');
  expect(calls).toEqual(numbers);
  expect(signal.aborted).toBe(true);
  // Node emits a warning in a later tick.
  await new Promise((resolve) => setImmediate(resolve));
  expect(warnings).not.toContain('MaxListenersExceededWarning');
});
