import { expect, test } from 'vitest';
import { findFreePort } from '../cluster/free-port.mjs';

test('a process gets each port once, even if no program listens on it yet', async () => {
  const ports = await Promise.all(Array.from({ length: 1_000 }, () => findFreePort()));
  expect(new Set(ports).size).toBe(ports.length);
});
