import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { createMetrics } from '@alpenglow/infra';
import { CONTRACT_VERSION } from '@alpenglow/ui/contract';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { describeFiles } from '../build/artifact.mjs';
import { deploy, readHistory, readRegistry, type DeployOptions } from '../build/registry.mjs';
import { localKeys } from '../build/signing.mjs';
import { createRegistryReader } from '../server/registry-file.ts';
import { createRecording, findAlerts, readRules } from '../../tests/support/alert-rules.ts';
import {
  createReleaseCheck,
  registerReleaseMetrics,
  STEPS,
  type ReleaseWatchOptions,
} from '../server/releases/watch.ts';

/** The server rolls worse builds back by itself, and gives good canaries to more browsers (decision 0122). */

const NAME = 'mf-listings';
const SHELL = { hash: '', contracts: [CONTRACT_VERSION] };
type Views = Readonly<Record<string, { readonly started: number; readonly failed: number }>>;

let dir: string;
let mfDir: string;
let warnings: object[];
let rolledBack: string[];
let views: Views;
let rendered: Readonly<Record<string, { readonly all: number; readonly bad: number }>>;
/** The days since which the server has read statistics. */
let statisticsReads: string[];
let check: (now?: Date) => Promise<void>;

beforeEach(async () => {
  dir = await mkdtemp(path.join(os.tmpdir(), 'releases-'));
  mfDir = path.join(dir, 'mf');
  warnings = [];
  rolledBack = [];
  views = {};
  rendered = {};
  statisticsReads = [];
  check = createCheck();
});
afterEach(() => rm(dir, { recursive: true, force: true }));

interface Options extends Pick<DeployOptions, 'canaryPercent' | 'isAutomatic' | 'isAhead' | 'now'> {
  readonly name?: string;
  readonly contract?: string;
}

/** Deploys a build that consists of this text. Returns its hash. */
async function deployText(
  text: string,
  { name = NAME, contract = `^${CONTRACT_VERSION}`, ...options }: Options = {},
): Promise<string> {
  const dist = path.join(dir, `dist-${name}-${text}`);
  await mkdir(dist, { recursive: true });
  await writeFile(path.join(dist, 'remote-entry.js'), text);
  const artifact = {
    ...{ name, contract, container: name.replaceAll('-', '_'), entry: 'remote-entry.js' },
    preload: ['remote-entry.js'],
    ...(await describeFiles(dist, contract)),
  };
  return (await deploy({ mfDir, dist, artifact, shell: SHELL, ...options })).entry.hash;
}

/** Returns a function that compares the builds once, as each server does every 5 s. */
function createCheck(more: Partial<ReleaseWatchOptions> = {}): (now?: Date) => Promise<void> {
  const { trust } = localKeys(mfDir);
  const log = { warn: (fields: object) => void warnings.push(fields) };
  const read = () =>
    Object.entries(views).map(([hash, counts]) => ({
      ...{ frontEnd: NAME, hash, lastDay: '2026-11-30', errors: [], vitals: [] },
      views: counts,
    }));
  return createReleaseCheck({
    ...{ mfDir, shell: SHELL, trust, log },
    reads: {
      readFrontEndStatistics: (firstDay) => {
        statisticsReads.push(firstDay);
        return Promise.resolve(read());
      },
    },
    registry: createRegistryReader({ mfDir, shell: SHELL, trust, log }),
    countRendered: ({ hash }) => rendered[hash] ?? { all: 0, bad: 0 },
    onRollback: (name) => rolledBack.push(name),
    ...more,
  });
}

const live = async () => (await readRegistry(mfDir)).remotes[NAME]?.[0]?.hash;
const canary = async () => (await readRegistry(mfDir)).canaries[NAME];

const LONG_AGO = new Date(Date.now() - 10 * 86_400_000);

it('a canary with errors is rolled back, the live build stays, and the team learns why', async () => {
  const good = await deployText('good', { now: LONG_AGO });
  const bad = await deployText('bad', { canaryPercent: 5 });
  await check();
  views = { [good]: { started: 950, failed: 1 }, [bad]: { started: 50, failed: 12 } };
  await check();
  expect([await live(), await canary()]).toEqual([good, undefined]);
  const reason = 'page loads with an error: 12 of 50, and 1 of 950 with the build before';
  expect((await readHistory(mfDir, NAME)).at(-1)).toMatchObject({
    hash: bad,
    isRolledBack: true,
    rollback: { reason, at: expect.any(String) },
  });
  expect(warnings).toEqual([expect.objectContaining({ remote: NAME, hash: bad, live: good, reason })]);
  expect(rolledBack).toEqual([NAME]);
});

it('the first automatic rollback sends an alert', async () => {
  const metrics = createMetrics();
  const { countRollback, showRemote } = registerReleaseMetrics(metrics);
  check = createCheck({ onFound: showRemote, onRollback: countRollback });
  const recording = createRecording();
  let at_s = 0;
  const observe = async () => {
    const text = await metrics.metrics();
    for (const end_s = at_s + 300; at_s < end_s; at_s += 60) recording.add({ job: 'alpenglow' }, at_s, text);
  };
  const rules = readRules().filter(({ alert }) => alert === 'FrontEndRolledBack');
  const alerts = () => rules.flatMap((rule) => findAlerts(rule, recording.series(), at_s - 60));
  const good = await deployText('good', { now: LONG_AGO });
  const bad = await deployText('bad', { canaryPercent: 5 });
  await check();
  await observe();
  expect(alerts()).toEqual([]);
  views = { [good]: { started: 950, failed: 1 }, [bad]: { started: 50, failed: 12 } };
  await check();
  await observe();
  expect(alerts()).toEqual([{ alertname: 'FrontEndRolledBack', front_end: NAME, severity: 'warning' }]);
});

it('a canary that the server cannot render is rolled back', async () => {
  const good = await deployText('good', { now: LONG_AGO });
  const bad = await deployText('bad', { canaryPercent: 5 });
  await check();
  rendered = { [good]: { all: 950, bad: 0 }, [bad]: { all: 50, bad: 50 } };
  await check();
  expect(await canary()).toBeUndefined();
});

it('a fresh live deployment that is worse is rolled back once, and the build before is never', async () => {
  const first = await deployText('first', { now: LONG_AGO });
  const good = await deployText('good', { now: new Date(LONG_AGO.getTime() + 3_600_000) });
  const bad = await deployText('bad');
  await check();
  // The build before has more errors than the one before it, but it is not new.
  views = {
    [first]: { started: 5_000, failed: 0 },
    [good]: { started: 5_000, failed: 100 },
    [bad]: { started: 100, failed: 100 },
  };
  await check();
  expect(await live()).toBe(good);
  await check();
  await check();
  expect(await live()).toBe(good);
  expect(rolledBack).toEqual([NAME]);
});

it('a harmless deployment, an older one and the only one stay', async () => {
  const only = await deployText('only');
  views = { [only]: { started: 1_000, failed: 900 } };
  await check();
  expect(await live()).toBe(only);
  const later = await deployText('later');
  await check();
  views = { [only]: { started: 1_000, failed: 10 }, [later]: { started: 1_000, failed: 12 } };
  await check();
  expect(await live()).toBe(later);
  views = { ...views, [later]: { started: 10_000, failed: 9_000 } };
  await check(new Date(Date.now() + 2 * 86_400_000));
  expect(await live(), 'people decide about a deployment that is older than a day').toBe(later);
  expect(warnings).toEqual([]);
});

const AFTER_HOURS = new Date(Date.now() + 4 * 3_600_000);

it.each([
  [5, [25, 50, 100]],
  [10, [25, 50, 100]],
  [1, [25, 50, 100]],
  [60, [100]],
])('a good automatic canary for %i percent gets more browsers in steps until it is live', async (share, shares) => {
  const good = await deployText('good', { now: LONG_AGO });
  const next = await deployText('next', { canaryPercent: share, isAutomatic: true });
  await check();
  let percent = share;
  for (const expected of shares) {
    const needed = STEPS.find((step) => step.next === expected)?.views ?? 0;
    views = { [good]: { started: 100_000, failed: 100 }, [next]: { started: needed - 1, failed: 0 } };
    await check(AFTER_HOURS);
    expect((await canary())?.percent).toBe(percent);
    views = { ...views, [next]: { started: needed, failed: 0 } };
    await check(AFTER_HOURS);
    percent = expected;
    expect((await canary())?.percent).toBe(expected === 100 ? undefined : expected);
  }
  expect(await live()).toBe(next);
});

it('a canary that is not automatic stays as it is', async () => {
  const good = await deployText('good', { now: LONG_AGO });
  const manual = await deployText('manual', { canaryPercent: 5 });
  await check();
  views = { [good]: { started: 950_000, failed: 50 }, [manual]: { started: 50_000, failed: 5 } };
  await check(AFTER_HOURS);
  expect((await canary())?.percent).toBe(5);
});

it('an automatic canary gets more browsers only after some time and with views of the live build', async () => {
  const good = await deployText('good', { now: LONG_AGO });
  const next = await deployText('next', { canaryPercent: 5, isAutomatic: true });
  await check();
  views = { [good]: { started: 1_000, failed: 0 }, [next]: { started: 50_000, failed: 0 } };
  await check(AFTER_HOURS);
  expect((await canary())?.percent, 'too few views of the live build').toBe(5);
  views = { [good]: { started: 950_000, failed: 0 }, [next]: { started: 50_000, failed: 0 } };
  await check(new Date(Date.now() + 60_000));
  expect((await canary())?.percent, 'too early').toBe(5);
  await check(AFTER_HOURS);
  expect((await canary())?.percent).toBe(25);
});

describe('only views since the release began count', () => {
  it('a build that was rolled back and is deployed again is not rolled back for its earlier errors', async () => {
    const good = await deployText('good', { now: LONG_AGO });
    const next = await deployText('next');
    await check();
    views = { [good]: { started: 950, failed: 0 }, [next]: { started: 50, failed: 50 } };
    await check();
    expect(await live()).toBe(good);
    await deployText('next');
    await check();
    views = { [good]: { started: 950, failed: 0 }, [next]: { started: 150, failed: 50 } };
    await check();
    expect(await live()).toBe(next);
    views = { [good]: { started: 950, failed: 0 }, [next]: { started: 160, failed: 60 } };
    await check();
    expect(await live(), 'new errors count').toBe(good);
  });

  it('an earlier incident of the live build does not hide a bad canary', async () => {
    const good = await deployText('good', { now: LONG_AGO });
    views = { [good]: { started: 10_000, failed: 5_000 } };
    const bad = await deployText('bad', { canaryPercent: 5 });
    await check();
    views = { [good]: { started: 10_950, failed: 5_001 }, [bad]: { started: 50, failed: 25 } };
    await check();
    expect(await canary()).toBeUndefined();
    expect(await live()).toBe(good);
  });

  it('a canary is not given to more browsers for its earlier views', async () => {
    const good = await deployText('good', { now: LONG_AGO });
    const next = await deployText('next', { now: LONG_AGO });
    await deployText('good', { now: LONG_AGO });
    views = { [good]: { started: 500_000, failed: 0 }, [next]: { started: 50_000, failed: 0 } };
    await deployText('next', { canaryPercent: 5, isAutomatic: true });
    for (let time = 0; time < 5; time++) await check(AFTER_HOURS);
    expect((await canary())?.percent).toBe(5);
  });

  it('also in pages that the server has rendered, and in a server that starts later', async () => {
    const good = await deployText('good', { now: LONG_AGO });
    const next = await deployText('next', { canaryPercent: 5 });
    rendered = { [good]: { all: 950, bad: 0 }, [next]: { all: 50, bad: 50 } };
    views = { [good]: { started: 950, failed: 0 }, [next]: { started: 50, failed: 50 } };
    await check();
    await createCheck()();
    await check();
    expect((await canary())?.build.hash).toBe(next);
    expect((await readHistory(mfDir, NAME)).at(-1)).toMatchObject({ comparison: { before: good } });
  });
});

it('an error is logged, and the next check compares again', async () => {
  const good = await deployText('good', { now: LONG_AGO });
  const bad = await deployText('bad');
  await check();
  views = { [good]: { started: 950, failed: 0 }, [bad]: { started: 50, failed: 50 } };
  const folder = path.join(mfDir, NAME, good);
  await rename(folder, `${folder}.away`);
  await check();
  expect(await live(), 'there is no complete build before').toBe(bad);
  const err = expect.objectContaining({ message: expect.stringContaining('is incomplete') });
  expect(warnings).toEqual([{ err, remote: NAME, hash: bad }]);
  await rename(`${folder}.away`, folder);
  await check();
  expect(await live()).toBe(good);
});

it('a remote whose history cannot be read does not stop the comparison of others', async () => {
  await deployText('other', { name: 'mf-admin' });
  await writeFile(path.join(mfDir, 'mf-admin/history.json'), 'garbage');
  const good = await deployText('good', { now: LONG_AGO });
  const bad = await deployText('bad');
  await check();
  views = { [good]: { started: 950, failed: 0 }, [bad]: { started: 50, failed: 50 } };
  await check();
  expect(await live()).toBe(good);
});

it('a build is compared with the last one before it that is signed and that this shell can run', async () => {
  const good = await deployText('good', { now: LONG_AGO });
  const unsigned = await deployText('unsigned', { now: LONG_AGO });
  await deployText('ahead', { contract: '^99.0.0', isAhead: true, now: LONG_AGO });
  const bad = await deployText('bad');
  const file = path.join(mfDir, NAME, 'history.json');
  const history = (await readHistory(mfDir, NAME)).map(({ signature, ...build }) =>
    build.hash === unsigned ? build : { ...build, signature },
  );
  await writeFile(file, JSON.stringify(history));
  await check();
  views = { [good]: { started: 950, failed: 0 }, [bad]: { started: 50, failed: 50 } };
  await check();
  const hashes = (await readRegistry(mfDir)).remotes[NAME]?.map(({ hash }) => hash);
  expect(hashes).toContain(good);
  expect(hashes).not.toContain(bad);
});

it('a fresh build is compared also after a build for another shell was deployed', async () => {
  const good = await deployText('good', { now: LONG_AGO });
  const bad = await deployText('bad');
  await deployText('ahead', { contract: '^99.0.0', isAhead: true });
  await check();
  views = { [good]: { started: 950, failed: 0 }, [bad]: { started: 50, failed: 50 } };
  await check();
  expect((await readHistory(mfDir, NAME)).find(({ hash }) => hash === bad)?.isRolledBack).toBe(true);
});

it('one check reads the statistics since a day once, no matter how many builds it compares', async () => {
  for (const name of [NAME, 'mf-admin', 'mf-community']) {
    await deployText('good', { name, now: LONG_AGO });
    await deployText('next', { name });
  }
  for (let time = 0; time < 3; time++) {
    statisticsReads = [];
    await check();
    expect(statisticsReads).toHaveLength(1);
  }
});
