import { createPool, type Config, type Pool } from '@alpenglow/infra';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { apiClient, type ApiClient } from '../support/api.ts';
import { sharedBrowser, withVisitor } from '../support/browser.ts';
import { main, waitForRead } from '../support/browser-community.ts';
import { startCollector, type CollectedSpan } from '../support/collector.ts';
import { eventually } from '../support/eventually.ts';
import { startTestProduct, type TestProduct } from '../support/product.ts';
import { closeVisitors } from '../support/test-failures.ts';

/** Traces that begin in a browser, and the references in messages about errors (decision 0127, R-7.102, R-8.30). */
let collector: Awaited<ReturnType<typeof startCollector>>;
let product: TestProduct;
let pool: Pool;
let api: ApiClient;
let browser: Browser;
let adId: string;
let adminToken: string;
beforeAll(async () => {
  collector = await startCollector();
  const tracing: Config['tracing'] = { url: `${collector.url}/v1/traces`, headers: {}, share: 1 };
  product = await startTestProduct({ tracing });
  pool = createPool({ connectionString: product.databaseUrl, max: 1, applicationName: 'test' });
  api = apiClient(product.url);
  ({ id: adId } = await api.postAd((await api.signUp('provider')).token, { title: 'An evening by the lake' }));
  ({ token: adminToken } = await api.signUp('client', { email: 'admin@example.com' }));
  await waitForRead(api);
  browser = await sharedBrowser();
});
afterAll(async () => {
  await closeVisitors();
  await pool?.end();
  await product?.stop();
  collector?.stop();
});

const findSpan = (spans: readonly CollectedSpan[], name: string): CollectedSpan => {
  const span = spans.find((one) => one.name === name);
  if (!span) throw new Error(`There is no span ${name}: ${spans.map((one) => one.name).join(', ')}`);
  return span;
};
const saveAd = (page: Page) =>
  main(page)
    .getByRole('button', { name: /^Save .+ to favorites|^Save$/u })
    .first()
    .click();

test('a click, its request, its command, its event and the read models have one trace', async () => {
  const { token } = await api.signUp('client');
  await withVisitor(browser, product.url, { token }, async (context) => {
    const page = await context.newPage();
    await page.goto(`/ad/${adId}`);
    const [request] = await Promise.all([
      page.waitForRequest((one) => one.method() === 'POST' && one.url().endsWith('/api/favorites')),
      saveAd(page),
    ]);
    const { traceparent = '' } = await request.allHeaders();
    const [, traceId = '', , flag] = traceparent.split('-');
    expect(flag, 'the server decides whether the trace is recorded').toBe('00');
    expect((await request.response())?.headers()['x-request-id']).toBe(traceId);
    const spans = await eventually(() => {
      const found = collector.spans.filter((span) => span.traceId === traceId);
      findSpan(found, 'project favorites');
      return found;
    });
    const served = findSpan(spans, 'POST /api/favorites');
    const command = findSpan(spans, 'command favorites');
    const append = findSpan(spans, 'append');
    expect(served.parentSpanId, 'the browser records no span').toBeNull();
    expect(command.parentSpanId).toBe(served.spanId);
    expect(append.parentSpanId).toBe(command.spanId);
    expect(findSpan(spans, 'project favorites').parentSpanId).toBe(append.spanId);
    const { rows } = await pool.query<{ type: string; traceparent: string }>(
      `select type, meta->>'traceparent' as traceparent from es.events where meta->>'correlationId' = $1`,
      [traceId],
    );
    expect(rows).toEqual([{ type: 'AdFavorited', traceparent: `00-${traceId}-${append.spanId}-01` }]);
  });
});

/** Makes all writes of events fail while `work` runs, with an error that no code expects. */
async function withFailingWrites(work: () => Promise<void>): Promise<void> {
  await pool.query(`create function public.fail_write() returns trigger language plpgsql as
    $$ begin raise exception 'A test lets writes fail'; end $$`);
  await pool.query('create trigger fail_write before insert on es.events execute function public.fail_write()');
  try {
    await work();
  } finally {
    await pool.query('drop function public.fail_write() cascade');
  }
}

/** Returns the failed request that an admin finds with a reference in the panel. */
async function findWith(reference: string): Promise<string> {
  let text = '';
  await withVisitor(browser, product.url, { token: adminToken }, async (context) => {
    const page = await context.newPage();
    // The request is stored a moment after its response.
    await eventually(async () => {
      await page.goto('/admin/requests');
      await main(page).getByRole('textbox', { name: 'Request ID' }).fill(reference);
      await main(page).getByRole('button', { name: 'Find' }).click();
      const failures = main(page).getByRole('region', { name: 'Error responses' }).first();
      await failures.or(main(page).getByText('Nothing is recorded about this request')).first().waitFor();
      expect(await failures.isVisible()).toBe(true);
      text = await failures.innerText();
    });
  });
  return text;
}

test('a toast about an error of the server has a reference, with which an admin finds the request', async () => {
  const { token } = await api.signUp('client');
  let reference = '';
  await withFailingWrites(() =>
    withVisitor(browser, product.url, { token }, async (context) => {
      const page = await context.newPage();
      await page.goto(`/ad/${adId}`);
      await saveAd(page);
      const toast = page.getByRole('status').getByText(/^Error adding to favorites\s+Reference: [0-9a-f]{12}$/u);
      await toast.waitFor();
      // The reference has its own line.
      reference = (await toast.innerText()).split('\nReference: ')[1] ?? '';
    }),
  );
  expect(reference).toMatch(/^[0-9a-f]{12}$/u);
  expect(await findWith(reference)).toMatch(/POST \/api\/favorites\s+500\s+INTERNAL/u);
});

test('an error box about an error of the server has a reference in every language, and others have none', async () => {
  await withVisitor(browser, product.url, { token: adminToken, locale: 'de' }, async (context) => {
    const page = await context.newPage();
    await pool.query('alter table audit.staff_reads rename to staff_reads_away');
    try {
      await page.goto('/admin/users');
      await main(page)
        .getByRole('alert')
        .getByText(/^Referenz: [0-9a-f]{12}$/u)
        .waitFor();
    } finally {
      await pool.query('alter table audit.staff_reads_away rename to staff_reads');
    }
  });
  await withVisitor(browser, product.url, {}, async (context) => {
    const page = await context.newPage();
    await page.goto('/login');
    await page.getByRole('textbox', { name: 'E-mail' }).fill('nobody@example.com');
    await page.getByLabel('Password', { exact: true }).fill('correct horse');
    await main(page).getByRole('button', { name: 'Log in' }).click();
    const alert = main(page).getByRole('alert');
    await alert.waitFor();
    expect(await alert.innerText()).not.toContain('Reference');
  });
});
