import { expect, test } from 'vitest';
import { createFailureLog } from '../src/service/failure-log.ts';

test('the first failure is logged at once, and later ones together, once a minute', () => {
  let now_ms = 0;
  const { count, reset } = createFailureLog({ now_ms: () => now_ms });
  expect(count('audit-chain')).toBe(1);
  for (let failure = 0; failure < 29; failure += 1) {
    now_ms += 2_000;
    expect(count('audit-chain')).toBeNull();
  }
  // Another work has its own lines.
  expect(count('reactor-media-jobs')).toBe(1);
  now_ms += 2_000;
  expect(count('audit-chain')).toBe(30);
  expect(count('audit-chain')).toBeNull();
  // After a success, the next failure is a new one.
  reset('audit-chain');
  expect(count('audit-chain')).toBe(1);
});
