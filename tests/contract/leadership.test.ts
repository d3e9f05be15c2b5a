import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { createPool, leadDuties, unlessDoneElsewhere, type Duty, type Pool } from '@alpenglow/infra';
import { Client } from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { bundleForNode } from '../support/bundle.mjs';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import type { DutyPlan } from '../support/duty-holder.ts';
import { runBundle, type TestProcess } from '../support/processes.ts';
import { openTcpLink } from '../support/tcp-link.ts';

const TAKEOVER_LIMIT_ms = 5_000;
/** Postgres waits this long for a word of a process before it frees its locks, and another one looks every second. */
const SILENT_TAKEOVER_LIMIT_ms = 8_000;
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

/** A process's leader, within this one: which duties it has, and what failed. */
function lead(connectionString = database.connectionString, special: Partial<Record<string, Duty['run']>> = {}) {
  const held = new Set<string>();
  const errors: string[] = [];
  const run = (name: string) => async (signal: AbortSignal) => {
    held.add(name);
    await special[name]?.(signal);
    if (!signal.aborted) await once(signal, 'abort');
    held.delete(name);
  };
  const leader = leadDuties(connectionString, NAMES.map((name) => ({ name, run: run(name) })), { onError: (duty, error) => errors.push(`${duty}: ${String(error)}`) });
  stops.push(() => leader.stop());
  return { held, errors, stop: () => leader.stop() };
}

const all = { timeout: TAKEOVER_LIMIT_ms, interval: 20 };
const hasAll = ({ held }: { held: ReadonlySet<string> }) => vi.waitFor(() => expect([...held].sort()).toEqual(NAMES.toSorted()), all);

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
    await vi.waitFor(() => expect(told.toSorted()).toEqual(NAMES.map((name) => `taken ${name}`).toSorted()), all);
  });

  test('that is killed leaves them to another within 5 s', async () => {
    const second = lead();
    await pause(1_500);
    expect([...second.held]).toEqual([]);
    first.kill();
    await hasAll(second);
  });

  test('that is stopped for long has lost them to another, and gives them up when it goes on', async () => {
    const second = lead();
    first.freeze();
    await vi.waitFor(() => expect([...second.held].sort()).toEqual(NAMES.toSorted()), { timeout: SILENT_TAKEOVER_LIMIT_ms, interval: 20 });
    expect(told.filter((line) => line.startsWith('given up'))).toEqual([]);
    first.thaw();
    await vi.waitFor(() => expect(told.filter((line) => line.startsWith('given up'))).toHaveLength(NAMES.length), all);
    await pause(2_500);
    expect(told.filter((line) => line.startsWith('taken'))).toHaveLength(NAMES.length);
    expect(second.held.size).toBe(NAMES.length);
  });
});

test('whose connection Postgres closes, the duties are somebody\'s again within 5 s, and nobody else\'s', async () => {
  const [first, second] = [lead(), lead()];
  await vi.waitFor(() => expect(first.held.size + second.held.size).toBe(NAMES.length), all);
  const knife = new Client(database.connectionString);
  await knife.connect();
  for (let cut = 0; cut < 3; cut += 1) {
    await knife.query(`select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name = 'alpenglow-leader'`);
    await vi.waitFor(() => expect(first.held.size + second.held.size).toBeLessThan(NAMES.length), all);
    await vi.waitFor(() => expect([...first.held, ...second.held].sort()).toEqual(NAMES.toSorted()), all);
  }
  await knife.end();
});

test('that hears nothing from Postgres any more gives its duties up by itself, and another takes them', async () => {
  const link = await openTcpLink(Number(new URL(database.connectionString).port));
  const throughLink = new URL(database.connectionString);
  throughLink.port = String(link.port);
  const first = lead(throughLink.href);
  await hasAll(first);
  const second = lead();
  link.fallSilent();
  await vi.waitFor(() => expect([...first.held]).toEqual([]), all);
  await hasAll(second);
  await link.close();
});

describe('a duty that does not end when it is to', () => {
  const hang = () => new Promise<void>(() => undefined);

  test('is left behind when its process stops, which frees the others', async () => {
    const first = lead(database.connectionString, { photos: hang });
    await hasAll(first);
    const second = lead();
    const begun = performance.now();
    await first.stop();
    expect(performance.now() - begun).toBeLessThan(6_000);
    expect(first.errors).toEqual([expect.stringContaining('photos: ')]);
    await hasAll(second);
  });

  test('is not begun a second time beside itself when the connection was lost; the others are, and another process may have it', async () => {
    const begin = vi.fn(hang);
    const first = lead(database.connectionString, { photos: begin });
    await hasAll(first);
    const knife = new Client(database.connectionString);
    await knife.connect();
    await knife.query(`select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name = 'alpenglow-leader'`);
    await knife.end();
    await vi.waitFor(() => expect(first.held.size).toBe(1), all);
    await hasAll(first);
    const second = lead();
    await vi.waitFor(() => expect([...second.held]).toEqual(['photos']), all);
    expect(begin).toHaveBeenCalledTimes(1);
  });
});

test('a duty that fails is taken up again, by whoever comes first', async () => {
  const fail = vi.fn(() => Promise.reject(new Error('no engine')));
  const first = lead(database.connectionString, { mails: fail });
  await vi.waitFor(() => expect(fail.mock.calls.length).toBeGreaterThanOrEqual(2), all);
  expect(first.errors[0]).toBe('mails: Error: no engine');
  const second = lead();
  await vi.waitFor(() => expect([...second.held]).toEqual(['mails']), { timeout: 20_000 });
});

test('stopping while Postgres is away takes little time', async () => {
  const link = await openTcpLink(Number(new URL(database.connectionString).port));
  const throughLink = new URL(database.connectionString);
  throughLink.port = String(link.port);
  const first = lead(throughLink.href);
  await hasAll(first);
  link.breakOff();
  await vi.waitFor(() => expect([...first.held]).toEqual([]), all);
  const begun = performance.now();
  await first.stop();
  expect(performance.now() - begun).toBeLessThan(4_000);
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
    const doing = unlessDoneElsewhere(one, 'sweep', () => new Promise<string>((resolve) => (finish = resolve)), never);
    await pause(100);
    expect(await unlessDoneElsewhere(two, 'sweep', settled('twice'), never)).toBeNull();
    expect(await unlessDoneElsewhere(two, 'other', settled('beside'), never)).toBe('beside');
    finish('done');
    expect(await doing).toBe('done');
    expect(await unlessDoneElsewhere(two, 'sweep', settled('again'), never)).toBe('again');
  });

  test('is free for others when it fails, is given up, or loses its connection', async () => {
    await expect(unlessDoneElsewhere(one, 'sweep', () => Promise.reject(new Error('failed')), never)).rejects.toThrow('failed');
    await vi.waitFor(async () => expect(await unlessDoneElsewhere(two, 'sweep', settled('after a failure'), never)).not.toBeNull());

    const stopping = new AbortController();
    const hanging = expect(unlessDoneElsewhere(one, 'sweep', () => new Promise(() => undefined), stopping.signal)).rejects.toThrow('aborted');
    await pause(100);
    stopping.abort();
    await hanging;
    await vi.waitFor(async () => expect(await unlessDoneElsewhere(two, 'sweep', settled('after it was given up'), never)).not.toBeNull());

    let finish: (value: string) => void = () => undefined;
    const cut = unlessDoneElsewhere(one, 'sweep', () => new Promise<string>((resolve) => (finish = resolve)), never);
    await pause(100);
    await two.query(`select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`);
    await vi.waitFor(async () => expect(await unlessDoneElsewhere(two, 'sweep', settled('after a cut'), never)).not.toBeNull());
    finish('done');
    expect(await cut).toBe('done');
  });
});
