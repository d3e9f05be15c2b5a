import { expect, test } from 'vitest';
import { read } from './deploy-files.ts';

test('the operations document and the test name the same first commit with rolling upgrades', () => {
  const [, tested] = /^const OLD = '(\w+)';$/mu.exec(read('tests/upgrades/rolling-upgrade.long.test.ts')) ?? [];
  const [, documented] = /^\| `(\w+)` \([\d-]+\) and later \| yes \| yes \|$/mu.exec(read('docs/operations.md')) ?? [];
  expect(tested).toBeDefined();
  expect(documented).toBe(tested);
});
