import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { createPool, leadDuties, unlessDoneElsewhere, type Duty, type Pool } from '@alpenglow/infra';
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

/** A process's leader, within this one: which duties it has, how many it has given up so far, and what failed. */
function lead(connectionString = database.connectionString, special: Partial<Record<string, Duty['run']>> = {}) {
  const held = new Set<string>();
  const errors: string[] = [];
  let givenUp = 0;
  const run = (name: string) => async (signal: AbortSignal) => {
    held.add(name);
    await special[name]?.(signal);
    if (!signal.aborted) await once(signal, 'abort');
    held.delete(name);
    givenUp += 1;
  };
  const leader = leadDuties(
    connectionString,
    NAMES.map((name) => ({ name, run: run(name) })),
    { onError: (duty, error) => errors.push(`${duty}: ${String(error)}`) },
  );
  stops.push(() => leader.stop());
  return { held, errors, givenUp: () => givenUp, stop: () => leader.stop() };
}

const all = { interval_ms: 20 };
const hasAll = ({ held }: { held: ReadonlySet<string> }) =>
  eventually(() => expect([...held].sort()).toEqual(NAMES.toSorted()), all);

describe('a process with duties', () => {
  let bundle: Awaited<ReturnType<typeof bundleForNode>>;
  let first: TestProcess;
  let told: string[];
  beforeAll(async () => {
    bundle = await bundleForNode('./duty-holder.ts');
  });
  afterAll(() => bundle.remove());
  beforeEach(async () => {
    first = runBundle(bundle.path, { connectionString: database.connectionString, duties: NAMES } satisfies DutyPlan);
    told = [];
    const listening = (async () => {
      for await (const line of first.lines) told.push(line);
    })();
    stops.push(async () => {
      first.kill();
      await listening;
      await first.finished();
    });
    await eventually(() => expect(told.toSorted()).toEqual(NAMES.map((name) => `taken ${name}`).toSorted()));
  });

  test('that is killed leaves them to another within 5 s', async () => {
    const second = lead();
    await pause(1_500);
    expect([...second.held]).toEqual([]);
    first.kill();
    await hasAll(second);
  });

  // Waits for the limits of silence.
  if (isFullRun)
    test('that is stopped for long has lost them to another, and gives them up when it goes on', async () => {
      const second = lead();
      first.freeze();
      await eventually(() => expect([...second.held].sort()).toEqual(NAMES.toSorted()), { interval_ms: 20 });
      expect(told.filter((line) => line.startsWith('given up'))).toEqual([]);
      first.thaw();
      await eventually(() => expect(told.filter((line) => line.startsWith('given up'))).toHaveLength(NAMES.length));
      await pause(2_500);
      expect(told.filter((line) => line.startsWith('taken'))).toHaveLength(NAMES.length);
      expect(second.held.size).toBe(NAMES.length);
    });
});

test("whose connection Postgres closes, the duties are somebody's again within 5 s, and nobody else's", async () => {
  const [first, second] = [lead(), lead()];
  await eventually(() => expect(first.held.size + second.held.size).toBe(NAMES.length));
  const knife = new Client(database.connectionString);
  await knife.connect();
  for (let cut = 0; cut < 3; cut += 1) {
    const before = first.givenUp() + second.givenUp();
    await knife.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name = 'alpenglow-leader'`,
    );
    await eventually(() => expect(first.givenUp() + second.givenUp()).toBeGreaterThanOrEqual(before + NAMES.length));
    await eventually(() => expect([...first.held, ...second.held].sort()).toEqual(NAMES.toSorted()), all);
  }
  await knife.end();
});

if (isFullRun)
  test('that hears nothing from Postgres any more gives its duties up by itself, and another takes them', async () => {
    const link = await openTcpLink(Number(new URL(database.connectionString).port));
    const throughLink = new URL(database.connectionString);
    throughLink.port = String(link.port);
    const first = lead(throughLink.href);
    await hasAll(first);
    const second = lead();
    link.fallSilent();
    await eventually(() => expect([...first.held]).toEqual([]));
    await hasAll(second);
    await link.close();
  });

describe('a duty that does not end when it is to', () => {
  const hang = () => new Promise<void>(() => undefined);

  test('is left behind when its process stops, which frees the others', async () => {
    const first = lead(database.connectionString, { photos: hang });
    await hasAll(first);
    const second = lead();
    // The duty hangs for good: a process that waited for it would never stop.
    await first.stop();
    expect(first.errors).toEqual([expect.stringContaining('photos: ')]);
    await hasAll(second);
  });

  test('is not begun a second time beside itself when the connection was lost; the others are, and another process may have it', async () => {
    const begin = vi.fn(hang);
    const first = lead(database.connectionString, { photos: begin });
    await hasAll(first);
    const knife = new Client(database.connectionString);
    await knife.connect();
    await knife.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name = 'alpenglow-leader'`,
    );
    await knife.end();
    await eventually(() => expect(first.givenUp()).toBe(NAMES.length - 1));
    await hasAll(first);
    const second = lead();
    await eventually(() => expect([...second.held]).toEqual(['photos']));
    expect(begin).toHaveBeenCalledTimes(1);
  });
});

test('a duty that fails is taken up again, by whoever comes first', async () => {
  const fail = vi.fn(() => Promise.reject(new Error('no engine')));
  const first = lead(database.connectionString, { mails: fail });
  await eventually(() => expect(fail.mock.calls.length).toBeGreaterThanOrEqual(2));
  expect(first.errors[0]).toBe('mails: Error: no engine');
  const second = lead();
  await eventually(() => expect([...second.held]).toEqual(['mails']));
});

if (isFullRun)
  test('stopping while Postgres is away takes little time', async () => {
    const link = await openTcpLink(Number(new URL(database.connectionString).port));
    const throughLink = new URL(database.connectionString);
    throughLink.port = String(link.port);
    const first = lead(throughLink.href);
    await hasAll(first);
    link.breakOff();
    await eventually(() => expect([...first.held]).toEqual([]));
    // Postgres stays away: a process that waited for it would never stop.
    await first.stop();
    await link.close();
  });

describe('work that is better done once', () => {
  const never = new AbortController().signal;
  const settled = (value: string) => () => Promise.resolve(value);
  let one: Pool;
  let two: Pool;
  beforeEach(() => {
    const open = () => createPool({ connectionString: database.connectionString, max: 2, applicationName: 'test' });
    [one, two] = [open(), open()];
    stops.push(() => Promise.all([one.end(), two.end()]));
  });

  test('is not done while it is done elsewhere; the next time it is', async () => {
    let finish: (value: string) => void = () => undefined;
    const work = vi.fn(() => new Promise<string>((resolve) => (finish = resolve)));
    const doing = unlessDoneElsewhere(one, 'sweep', work, never);
    await eventually(() => expect(work).toHaveBeenCalled());
    expect(await unlessDoneElsewhere(two, 'sweep', settled('twice'), never)).toBeNull();
    expect(await unlessDoneElsewhere(two, 'other', settled('beside'), never)).toBe('beside');
    finish('done');
    expect(await doing).toBe('done');
    expect(await unlessDoneElsewhere(two, 'sweep', settled('again'), never)).toBe('again');
  });

  test('is free for others when it fails, is given up, or loses its connection', async () => {
    await expect(unlessDoneElsewhere(one, 'sweep', () => Promise.reject(new Error('failed')), never)).rejects.toThrow(
      'failed',
    );
    await eventually(async () =>
      expect(await unlessDoneElsewhere(two, 'sweep', settled('after a failure'), never)).not.toBeNull(),
    );

    const stopping = new AbortController();
    const hang = vi.fn(() => new Promise(() => undefined));
    const hanging = expect(unlessDoneElsewhere(one, 'sweep', hang, stopping.signal)).rejects.toThrow('aborted');
    await eventually(() => expect(hang).toHaveBeenCalled());
    stopping.abort();
    await hanging;
    await eventually(async () =>
      expect(await unlessDoneElsewhere(two, 'sweep', settled('after it was given up'), never)).not.toBeNull(),
    );

    let finish: (value: string) => void = () => undefined;
    const work = vi.fn(() => new Promise<string>((resolve) => (finish = resolve)));
    const cut = unlessDoneElsewhere(one, 'sweep', work, never);
    await eventually(() => expect(work).toHaveBeenCalled());
    await two.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`,
    );
    await eventually(async () =>
      expect(await unlessDoneElsewhere(two, 'sweep', settled('after a cut'), never)).not.toBeNull(),
    );
    finish('done');
    expect(await cut).toBe('done');
  });
});
