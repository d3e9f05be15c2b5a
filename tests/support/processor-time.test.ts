import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { MAX_WAIT_ms } from './max-wait.ts';
import { parseStat } from './processor-time.mjs';

const MODULE = path.resolve(import.meta.dirname, 'processor-time.mjs');
const BURNED_ms = 100;
/** Uses processor time until the system has counted further `BURNED_ms` for this process, however long that takes. */
const BURN = `const from = process.cpuUsage(); while (process.cpuUsage(from).user / 1e3 < ${BURNED_ms});`;

/** Runs a script that measures itself, in its own process because the meter moves the process. */
function measure(script: string): { readonly meter: string; readonly used_ms: number | null } {
  const { stdout, stderr } = spawnSync(
    process.execPath,
    [
      '--input-type=module',
      '--eval',
      `import { spawn, spawnSync } from 'node:child_process';
       import { once } from 'node:events';
       import { startMeter, readProcessorTime_ms, stopMeter } from ${JSON.stringify(MODULE)};
       const meter = startMeter();
       const before_ms = readProcessorTime_ms(meter);
       ${script}
       const after_ms = readProcessorTime_ms(meter);
       await stopMeter(meter);
       console.log(JSON.stringify({ meter, used_ms: after_ms === null ? null : after_ms - before_ms }));
       process.exit();`,
    ],
    { encoding: 'utf8' },
  );
  expect(stderr).toBe('');
  return JSON.parse(stdout) as ReturnType<typeof measure>;
}

describe.runIf(process.platform === 'linux')('the meter of processor time', () => {
  test('counts this process and a child that has ended', () => {
    const burn = JSON.stringify(BURN);
    const { used_ms } = measure(`${BURN} spawnSync(process.execPath, ['--eval', ${burn}]);`);
    expect(used_ms).toBeGreaterThan(1.5 * BURNED_ms);
  });

  test('counts a child that still runs', () => {
    const script = JSON.stringify(`${BURN} console.log('burned'); setInterval(() => undefined, 1_000);`);
    const { used_ms } = measure(
      `const child = spawn(process.execPath, ['--eval', ${script}]);
       await once(child.stdout, 'data');
       process.once('exit', () => child.kill('SIGKILL'));`,
    );
    expect(used_ms).toBeGreaterThan(0.8 * BURNED_ms);
  });

  test('counts a process without a living parent if the meter is a control group, and removes the group', () => {
    // The shell ends at once, so that the burning process has no parent in the run.
    const { meter, used_ms } = measure(
      `const child = spawn('sh', ['-c', '"$0" --eval "$1" &', process.execPath, ${JSON.stringify(BURN)}]);
       await once(child, 'close');`,
    );
    if (meter.startsWith('cgroup:')) expect(used_ms).toBeGreaterThan(0.8 * BURNED_ms);
    expect(existsSync(meter.slice('cgroup:'.length))).toBe(false);
  });

  test('counts a child that also measures itself', () => {
    const inner = `import { startMeter, stopMeter } from ${JSON.stringify(MODULE)};
      const meter = startMeter(); ${BURN} await stopMeter(meter);`;
    const { used_ms } = measure(
      `spawnSync(process.execPath, ['--input-type=module', '--eval', ${JSON.stringify(inner)}]);`,
    );
    expect(used_ms).toBeGreaterThan(0.8 * BURNED_ms);
  });

  test('removes the group of a run that was killed', async () => {
    const script = `import { startMeter } from ${JSON.stringify(MODULE)};
      console.log(startMeter()); setInterval(() => undefined, 1_000);`;
    const killed = spawn(process.execPath, ['--input-type=module', '--eval', script]);
    const [line] = (await once(killed.stdout, 'data')) as [Buffer];
    killed.kill('SIGKILL');
    await once(killed, 'close');
    measure('');
    expect(existsSync(line.toString().trim().slice('cgroup:'.length))).toBe(false);
  });

  test('does not touch the group of a run that was killed while one of its processes runs', async () => {
    const script = `import { spawn } from 'node:child_process';
      import { startMeter } from ${JSON.stringify(MODULE)};
      const source = startMeter();
      const child = spawn(process.execPath, ['--eval', 'setInterval(() => undefined, 1_000)'], { stdio: 'ignore' });
      console.log(JSON.stringify({ source, pid: child.pid })); setInterval(() => undefined, 1_000);`;
    const killed = spawn(process.execPath, ['--input-type=module', '--eval', script]);
    const [line] = (await once(killed.stdout, 'data')) as [Buffer];
    const { source, pid } = JSON.parse(line.toString()) as { source: string; pid: number };
    killed.kill('SIGKILL');
    await once(killed, 'close');
    const groupsOf = () => readFileSync(`/proc/${pid}/cgroup`, 'utf8');
    try {
      const before = groupsOf();
      measure('');
      expect(groupsOf()).toBe(before);
    } finally {
      process.kill(pid, 'SIGKILL');
    }
    const group = source.slice('cgroup:'.length);
    await vi.waitUntil(() => !existsSync(group) || readFileSync(`${group}/cgroup.procs`, 'utf8') === '', MAX_WAIT_ms);
    measure('');
    expect(existsSync(group)).toBe(false);
  });
});

test('parseStat reads the times of a process whose name contains parentheses', () => {
  const text = '42 (a (b) c) S 7 42 42 0 -1 4194560 1 2 3 4 100 20 3 4 20 0 1 0 12345 1000 10';
  expect(parseStat(text)).toEqual({ parent: 7, own_ms: 1_200, time_ms: 1_270 });
});

test('parseStat returns null for a process that has ended', () => {
  expect(parseStat('')).toBeNull();
});
