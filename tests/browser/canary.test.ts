import { rm } from 'node:fs/promises';
import path from 'node:path';
import { COOKIES } from '@alpenglow/ui/stored-keys';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { readHistory, readRegistry, type Deployment } from '../../shell/build/registry.mjs';
import { isInCanary } from '../../shell/server/build-choice.ts';
import { apiClient } from '../support/api.ts';
import { returningVisitor } from '../support/browser.ts';
import { startDeployedSite, type DeployedSite } from '../support/deployed-site.ts';
import { MAX_WAIT_ms } from '../support/max-wait.ts';
import { appScriptOf } from '../support/remotes.ts';

/**
 * Real builds in a browser as canaries: bad ones are rolled back by the server, a harmless one is not (F-50). The views
 * of the build before are sent to the API, because many of them are needed. All tests use mf-community.
 */
const NAME = 'mf-community';
/** Page loads with the canary. Five with an error are sufficient. */
const VIEWS = 8;

let site: DeployedSite;
let live: Deployment;

beforeAll(async () => {
  site = await startDeployedSite();
});
afterAll(() => site?.stop());
beforeEach(async () => {
  live = await site.remotes.deploy(NAME);
});

/** Deploys a canary. Returns it when the server has begun to compare it, because only later views count. */
async function deployCanary(code: string): Promise<Deployment> {
  const canary = await site.remotes.deployCanary(NAME, { code });
  const comparison = async () =>
    (await readHistory(site.remotes.mfDir, NAME)).find(({ hash }) => hash === canary.hash)?.comparison;
  await expect.poll(comparison, { timeout: MAX_WAIT_ms }).toMatchObject({ before: live.hash });
  return canary;
}

/** Reports views of the live build without errors. */
async function reportLiveViews(): Promise<void> {
  const view = { frontEnd: NAME, hash: live.hash, state: 'started' } as const;
  const api = apiClient(site.product.url);
  for (let report = 0; report < 30; report++)
    await api.call('POST', '/api/front-ends/reports', { body: { views: [view, view, view, view] } });
}

/** Opens a page `VIEWS` times with a browser that gets the canary, or with one that does not. */
async function openPages(canary: Deployment, gets: boolean, target = '/community'): Promise<void> {
  const of = { percent: 50, isAutomatic: false, build: { ...canary, fits: true } };
  const bucket = Array.from({ length: 1_000 }, (_, index) => index).find((index) => isInCanary(index, of) === gets);
  const context = await returningVisitor(site.browser, site.product.url);
  await context.addCookies([{ name: COOKIES.bucket, value: String(bucket), url: site.product.url }]);
  for (let view = 0; view < VIEWS; view++) {
    const page = await context.newPage();
    await page.goto(target);
    await page.locator('main h1').first().waitFor();
    await page.close();
  }
  await context.close();
}

const canaryHash = async () => (await readRegistry(site.remotes.mfDir)).canaries[NAME]?.build.hash;

/** Expects that the server rolls the canary back, and that the live build stays. */
async function expectRollback(canary: Deployment, reason: string): Promise<void> {
  await expect.poll(canaryHash, { timeout: MAX_WAIT_ms }).toBeUndefined();
  expect((await readRegistry(site.remotes.mfDir)).remotes[NAME]?.[0]?.hash).toBe(live.hash);
  const stored = (await readHistory(site.remotes.mfDir, NAME)).find(({ hash }) => hash === canary.hash);
  expect(stored?.rollback?.reason).toContain(reason);
}

describe('a canary', () => {
  it('that throws while it is loaded is rolled back, and other browsers never get it', async () => {
    const canary = await deployCanary("throw new Error('a bad build');");
    await reportLiveViews();
    await openPages(canary, false);
    expect(await canaryHash()).toBe(canary.hash);
    await openPages(canary, true);
    await expectRollback(canary, 'page loads with an error');
  });

  it('with a missing file is rolled back', async () => {
    const canary = await deployCanary('/* another build */');
    await reportLiveViews();
    const app = appScriptOf(canary);
    for (const file of [app, `${app}.br`, `${app}.gz`])
      await rm(path.join(site.remotes.folder(canary), file), { force: true });
    await openPages(canary, true);
    await expectRollback(canary, 'page loads with an error');
  });

  it('that is harmless stays', async () => {
    const canary = await deployCanary('/* a harmless build */');
    await reportLiveViews();
    await openPages(canary, true);
    await openPages(canary, false);
    const { call } = apiClient(site.product.url);
    // The server has read the reports of all these views.
    const started = async () =>
      JSON.stringify((await call('GET', '/api/front-ends/statistics')).body).includes(`${canary.hash}`);
    await expect.poll(started, { timeout: MAX_WAIT_ms }).toBe(true);
    expect(await canaryHash()).toBe(canary.hash);
  });
});
