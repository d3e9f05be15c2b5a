import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { expect, test } from 'vitest';

/** Makes Node print a warning on the standard error output before the error. */
const PRINT_A_WARNING = `--import=data:text/javascript,process.emitWarning('old')`;
const program = path.join(import.meta.dirname, 'run.mjs');

test('the reason why an event store cannot be used is its error, also if Node prints a warning first', () => {
  const { status, stderr } = spawnSync(
    process.execPath,
    [program, '--event-store', 'esdb://127.0.0.1:1?tls=false&maxDiscoverAttempts=1'],
    { encoding: 'utf8', env: { ...process.env, NODE_OPTIONS: PRINT_A_WARNING } },
  );
  expect(status).toBe(1);
  const reason = stderr.split('\n').find((line) => line.startsWith('This EventStoreDB cannot be used: ')) ?? '';
  expect(reason).not.toContain('old');
  expect(reason.length).toBeGreaterThan('This EventStoreDB cannot be used: '.length);
});
