import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { createPool, runDuties, runInOneProcess, type Duty, type Pool } from '@alpenglow/infra';
import { Client } from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { bundleForNode } from '../support/bundle.mjs';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import type { DutyPlan } from '../support/duty-holder.ts';
import { eventually } from '../support/eventually.ts';
import { runBundle, type TestProcess } from '../support/processes.ts';
import { isFullRun } from '../support/sample.ts';
import { openTcpLink } from '../support/tcp-link.ts';

const NAMES = ['mails', 'photos', 'cards', 'relay'];

let database: TestDatabase;
let stops: (() => Promise<unknown>)[];
beforeEach(async () => {
  database = await createTestDatabase();
  stops = [];
});
afterEach(async () => {
  await Promise.all(stops.map((stop) => stop()));
  await database.drop();
});

/**
 * Simulates a process that competes with other processes for duties, which are background tasks that only one process
 * runs at a time. Returns the duties that it holds, the number of duties that it has released, and their errors.
 */
function lead(
  connectionString = database.connectionString,
  customRuns: Partial<Record<string, (signal: AbortSignal) => Promise<void>>> = {},
  duties: readonly Pick<Duty, 'name' | 'ready'>[] = NAMES.map((name) => ({ name })),
) {
  const held = new Set<string>();
  const errors: string[] = [];
  let releasedCount = 0;
  const run = (name: string) => async (signal: AbortSignal) => {
    held.add(name);
    await customRuns[name]?.(signal);
    if (!signal.aborted) await once(signal, 'abort');
    held.delete(name);
    releasedCount += 1;
  };
  const leader = runDuties(
    connectionString,
    duties.map((duty) => ({ ...duty, run: run(duty.name) })),
    {
      onError(duty, error) {
        // On a busy machine, a process may lose its connection at any time.
        if (duty !== 'leadership') errors.push(`${duty}: ${String(error)}`);
      },
    },
  );
  stops.push(() => leader.stop());
  return { held, errors, releasedCount: () => releasedCount, stop: () => leader.stop() };
}

const SHORT_POLLS = { interval_ms: 20 };
const expectAllDuties = ({ held }: { held: ReadonlySet<string> }) =>
  eventually(() => expect([...held].sort()).toEqual(NAMES.toSorted()), SHORT_POLLS);

describe('duties of a process', () => {
  let bundle: Awaited<ReturnType<typeof bundleForNode>>;
  let first: TestProcess;
  let output: string[];
  beforeAll(async () => {
    bundle = await bundleForNode('./duty-holder.ts');
  });
  afterAll(() => bundle.remove());
  beforeEach(async () => {
    first = runBundle(bundle.path, { connectionString: database.connectionString, duties: NAMES } satisfies DutyPlan);
    output = [];
    const listening = (async () => {
      for await (const line of first.lines) output.push(line);
    })();
    stops.push(async () => {
      first.kill();
      await listening;
      await first.exited();
    });
    await eventually(() => expect(output.toSorted()).toEqual(NAMES.map((name) => `taken ${name}`).toSorted()));
  });

  test('move to another process when their process is killed', async () => {
    const second = lead();
    first.kill();
    await expectAllDuties(second);
  });

  test('are shared with a process that starts later, and with a third one', async () => {
    const running = () =>
      NAMES.filter((name) => output.lastIndexOf(`taken ${name}`) > output.lastIndexOf(`given up ${name}`));
    const second = lead();
    await eventually(() => {
      expect(second.held.size).toBe(2);
      expect([...running(), ...second.held].sort()).toEqual(NAMES.toSorted());
    });
    const third = lead();
    await eventually(() => {
      expect(Math.max(running().length, second.held.size, third.held.size)).toBe(2);
      expect([...running(), ...second.held, ...third.held].sort()).toEqual(NAMES.toSorted());
      expect(third.held.size).toBeGreaterThan(0);
    });
    first.kill();
    await eventually(() => {
      expect([second.held.size, third.held.size]).toEqual([2, 2]);
      expect([...second.held, ...third.held].sort()).toEqual(NAMES.toSorted());
    });
    await third.stop();
    await expectAllDuties(second);
  });

  // This test waits until the frozen process counts as unresponsive, so it is slow.
  if (isFullRun)
    test('move to another process when their process is frozen, which releases them when it resumes', async () => {
      const second = lead();
      first.suspend();
      await eventually(() => expect([...second.held].sort()).toEqual(NAMES.toSorted()), SHORT_POLLS);
      expect(output.filter((line) => line.startsWith('given up'))).toEqual([]);
      first.resume();
      await eventually(() => expect(output.filter((line) => line.startsWith('given up'))).toHaveLength(NAMES.length));
      // Then both processes share the duties again.
      await eventually(() => {
        const taken = output.filter((line) => line.startsWith('taken')).length - NAMES.length;
        expect([taken, second.held.size]).toEqual([2, 2]);
      });
    });
});

test('exactly one process holds each duty again after Postgres closes the connections', async () => {
  const [first, second] = [lead(), lead()];
  await eventually(() => expect(first.held.size + second.held.size).toBe(NAMES.length));
  const terminator = new Client(database.connectionString);
  await terminator.connect();
  for (let cut = 0; cut < 3; cut += 1) {
    const before = first.releasedCount() + second.releasedCount();
    await terminator.query(
      `select pg_terminate_backend(pid)
         from pg_stat_activity
        where datname = current_database() and application_name = 'alpenglow-leader'`,
    );
    await eventually(() =>
      expect(first.releasedCount() + second.releasedCount()).toBeGreaterThanOrEqual(before + NAMES.length),
    );
    await eventually(() => expect([...first.held, ...second.held].sort()).toEqual(NAMES.toSorted()), SHORT_POLLS);
  }
  await terminator.end();
});

if (isFullRun)
  test('a process that receives no data from Postgres releases its duties to another process', async () => {
    const link = await openTcpLink(Number(new URL(database.connectionString).port));
    const throughLink = new URL(database.connectionString);
    throughLink.port = String(link.port);
    const first = lead(throughLink.href);
    await expectAllDuties(first);
    const second = lead();
    link.discardData();
    await eventually(() => expect([...first.held]).toEqual([]));
    await expectAllDuties(second);
    await link.close();
  });

describe('a duty that does not stop on request', () => {
  const hang = () => new Promise<void>(() => undefined);

  test('does not prevent its process from stopping and releasing the other duties', async () => {
    const first = lead(database.connectionString, { photos: hang });
    await expectAllDuties(first);
    const second = lead();
    // The duty, a background task, never ends. The process must stop without waiting for the duty.
    await first.stop();
    expect(first.errors).toEqual([expect.stringContaining('photos: ')]);
    await expectAllDuties(second);
  });

  test('does not start twice in one process after a lost connection, but may start in another process', async () => {
    const run = vi.fn(hang);
    const first = lead(database.connectionString, { photos: run });
    await expectAllDuties(first);
    const terminator = new Client(database.connectionString);
    await terminator.connect();
    await terminator.query(
      `select pg_terminate_backend(pid)
         from pg_stat_activity
        where datname = current_database() and application_name = 'alpenglow-leader'`,
    );
    await terminator.end();
    await eventually(() => expect(first.releasedCount()).toBe(NAMES.length - 1));
    await expectAllDuties(first);
    const second = lead();
    await eventually(() => expect([...second.held]).toContain('photos'));
    expect(run).toHaveBeenCalledTimes(1);
  });
});

test('a failed duty starts again, in the same process or in another one', async () => {
  const fail = vi.fn(() => Promise.reject(new Error('no backing service')));
  // With a single duty, no duty has to move, so both processes check only once in a second.
  const duties = [{ name: 'mails' }];
  const first = lead(database.connectionString, { mails: fail }, duties);
  await eventually(() => expect(fail.mock.calls.length).toBeGreaterThanOrEqual(2));
  expect(first.errors[0]).toBe('mails: Error: no backing service');
  // By then, the duty has not been found running for longer than the time after which any process starts a free duty.
  await pause(3_500);
  const second = lead(database.connectionString, {}, duties);
  await eventually(() => expect([...second.held]).toEqual(['mails']));
});

test('a process does not take a duty before it is ready for it', async () => {
  const first = lead();
  await expectAllDuties(first);
  let resolve: () => void = () => undefined;
  const ready = new Promise<void>((done) => (resolve = done));
  const second = lead(
    database.connectionString,
    {},
    NAMES.map((name) => (['cards', 'relay'].includes(name) ? { name } : { name, ready })),
  );
  // Of the two duties that both processes can run, each process runs one.
  await eventually(() => {
    expect(second.held.size).toBe(1);
    expect([...first.held, ...second.held].sort()).toEqual(NAMES.toSorted());
  });
  expect([...first.held]).toEqual(expect.arrayContaining(['mails', 'photos']));
  await first.stop();
  // A process alone takes every free duty that it can run within about a second.
  await pause(1_500);
  expect([...second.held].sort()).toEqual(['cards', 'relay']);
  resolve();
  await expectAllDuties(second);
});

if (isFullRun)
  test('a process stops without waiting while Postgres is unavailable', async () => {
    const link = await openTcpLink(Number(new URL(database.connectionString).port));
    const throughLink = new URL(database.connectionString);
    throughLink.port = String(link.port);
    const first = lead(throughLink.href);
    await expectAllDuties(first);
    link.resetConnections();
    await eventually(() => expect([...first.held]).toEqual([]));
    // Postgres stays unavailable, so the process must not wait for Postgres.
    await first.stop();
    await link.close();
  });

describe('work that should run in one process only', () => {
  const never = new AbortController().signal;
  const resolvesWith = (value: string) => () => Promise.resolve(value);
  let firstPool: Pool;
  let secondPool: Pool;
  beforeEach(() => {
    const open = () => createPool({ connectionString: database.connectionString, max: 2, applicationName: 'test' });
    [firstPool, secondPool] = [open(), open()];
    stops.push(() => Promise.all([firstPool.end(), secondPool.end()]));
  });

  test('is skipped while another process does it and runs the next time', async () => {
    let finish: (value: string) => void = () => undefined;
    const work = vi.fn(() => new Promise<string>((resolve) => (finish = resolve)));
    const running = runInOneProcess(firstPool, 'sweep', work, never);
    await eventually(() => expect(work).toHaveBeenCalled());
    expect(await runInOneProcess(secondPool, 'sweep', resolvesWith('twice'), never)).toBeNull();
    expect(await runInOneProcess(secondPool, 'other', resolvesWith('parallel'), never)).toBe('parallel');
    finish('done');
    expect(await running).toBe('done');
    expect(await runInOneProcess(secondPool, 'sweep', resolvesWith('again'), never)).toBe('again');
  });

  test('can be done by another process when its process receives no data and sends none', async () => {
    const link = await openTcpLink(Number(new URL(database.connectionString).port));
    const throughLink = new URL(database.connectionString);
    throughLink.port = String(link.port);
    const isolated = createPool({ connectionString: throughLink.href, max: 2, applicationName: 'test' });
    const stopping = new AbortController();
    const hang = vi.fn(() => new Promise(() => undefined));
    const hanging = runInOneProcess(isolated, 'sweep', hang, stopping.signal).catch(() => undefined);
    await eventually(() => expect(hang).toHaveBeenCalled());
    // The connections stay open, as those of a machine that has lost its power.
    link.discardData();
    await eventually(async () =>
      expect(await runInOneProcess(secondPool, 'sweep', resolvesWith('after a silence'), never)).toBe(
        'after a silence',
      ),
    );
    stopping.abort();
    await hanging;
    await link.close();
    await isolated.end();
  });

  test('can be done by another process after it fails, is aborted or loses its connection', async () => {
    await expect(runInOneProcess(firstPool, 'sweep', () => Promise.reject(new Error('failed')), never)).rejects.toThrow(
      'failed',
    );
    await eventually(async () =>
      expect(await runInOneProcess(secondPool, 'sweep', resolvesWith('after a failure'), never)).not.toBeNull(),
    );

    const stopping = new AbortController();
    const hang = vi.fn(() => new Promise(() => undefined));
    const hanging = expect(runInOneProcess(firstPool, 'sweep', hang, stopping.signal)).rejects.toThrow('aborted');
    await eventually(() => expect(hang).toHaveBeenCalled());
    stopping.abort();
    await hanging;
    await eventually(async () =>
      expect(await runInOneProcess(secondPool, 'sweep', resolvesWith('after it was aborted'), never)).not.toBeNull(),
    );

    let finish: (value: string) => void = () => undefined;
    const work = vi.fn(() => new Promise<string>((resolve) => (finish = resolve)));
    const interrupted = runInOneProcess(firstPool, 'sweep', work, never);
    await eventually(() => expect(work).toHaveBeenCalled());
    await secondPool.query(
      `select pg_terminate_backend(pid)
         from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid()`,
    );
    await eventually(async () =>
      expect(await runInOneProcess(secondPool, 'sweep', resolvesWith('after a cut'), never)).not.toBeNull(),
    );
    finish('done');
    expect(await interrupted).toBe('done');
  });
});
