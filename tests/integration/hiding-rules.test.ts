import type { HidingRuleView, ResponseOf, StatementView } from '@alpenglow/domain';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { after, type ApiResponse, type Person } from '../support/api.ts';
import { HIDING_RULES_DUTY } from '../../projectors/src/reactors/hiding-rules.ts';
import { eventually } from '../support/eventually.ts';
import { openRecording, type Recording } from '../support/recording.ts';
import { watchResponseProperties } from '../support/response-coverage.ts';
import { createTestPool } from '../support/database.ts';
import { query } from '../support/installation.ts';
import { waitForReadModels } from '../support/threads.ts';
import { testApi, testProduct } from '../support/fixtures.ts';

const shown = watchResponseProperties('hiding-rules.test.ts');
const product = testProduct();
const api = testApi(product);
let recording: Recording;
let admin: Person;

beforeAll(async () => {
  recording = await openRecording(product);
  admin = await recording.member({ role: 'admin' });
});
afterAll(async () => {
  await recording.close();
  shown.stop();
});

const FIELDS = {
  title: 'Money in advance',
  category: null,
  phrases: ['Wire transfer'],
  youngerThanDays: 30,
  minReports: null,
  rule: 'spam',
  facts: 'The ad requires money before a meeting.',
};
const callRules = (method: 'POST' | 'PUT' | 'DELETE', path: string, body?: unknown) =>
  api.call(method, `/api/admin/rules${path}`, { token: admin.token, ...(body !== undefined && { body }) });
const listRules = async (write: ApiResponse) =>
  (await api.call('GET', '/api/admin/rules', { token: admin.token, headers: after(write) })).body[
    'data'
  ] as HidingRuleView[];
const idOf = (response: ApiResponse) => (response.body['data'] as { id: string }).id;

async function postNewAd(fields: Record<string, unknown>) {
  const owner = await recording.member({ userType: 'provider', age_ms: 0 });
  const { id: adId } = await api.postAd(owner.token, fields);
  // Waits until the read models contain the ad. Otherwise, a missing ad could be mistaken for a hidden ad, and a trial
  // would not examine the ad.
  await waitForReadModels(product.url);
  return { owner, adId };
}

/** Waits until the active rules were applied to all ads that were posted. */
const waitForRules = () =>
  eventually(async () =>
    expect(
      await query(
        product.databaseUrl,
        `select name from rm.checkpoints
          where name = $1 and position::bigint >= (select max(position) from es.events where type = 'AdPosted')`,
        [HIDING_RULES_DUTY],
      ),
    ).toHaveLength(1),
  );

/** Tests the conditions of a hiding rule on all ads, page by page, without hiding any ad. */
async function tryRule(
  conditions: unknown,
): Promise<{ hits: ResponseOf<'tryHidingRule'>['data']; examined: number; total: number | null }> {
  const pages: ResponseOf<'tryHidingRule'>[] = [];
  for (let cursor: string | null = null; ; ) {
    const response = await callRules('POST', '/try', { ...(conditions as object), cursor });
    expect(response).toMatchObject({ status: 200 });
    const page = response.body as unknown as ResponseOf<'tryHidingRule'>;
    pages.push(page);
    cursor = page.nextCursor;
    if (cursor === null) break;
  }
  return {
    hits: pages.flatMap(({ data }) => data),
    examined: pages.reduce((sum, { examined }) => sum + examined, 0),
    total: pages[0]?.total ?? null,
  };
}

const waitUntilHidden = (adId: string) =>
  eventually(async () => expect(await api.call('GET', `/api/ads/${adId}`)).toMatchObject({ status: 404 }));

describe('a hiding rule', () => {
  test('can be tried on all history before it is switched on, and the trial hides nothing', async () => {
    const { adId } = await postNewAd({ description: 'Send a WIRE-transfer first.' });
    await postNewAd({ description: 'A wire. A transfer of thoughts.' });
    const conditions = { phrases: ['wire transfer'], youngerThanDays: 30 };
    const { hits, examined, total } = await eventually(async () => {
      const trial = await tryRule(conditions);
      expect(trial.hits.filter((hit) => hit.adId === adId)).toMatchObject([{ because: 'posted', isUp: true }]);
      return trial;
    });
    expect(hits).toHaveLength(1);
    expect(examined).toBe(total);
    expect(examined).toBeGreaterThan(1);
    expect((await tryRule({ ...conditions, category: 'fetish' })).hits).toEqual([]);
    expect(await api.call('GET', `/api/ads/${adId}`)).toMatchObject({ status: 200 });
    expect(await callRules('POST', '/try', { phrases: [] })).toMatchObject({
      status: 400,
      body: { code: 'INVALID_FIELDS' },
    });
    const { data } = (await api.call('GET', `/api/admin/staff-reads?staff=${admin.user.id}`, { token: admin.token }))
      .body as { data: { what: string }[] };
    expect(data.map(({ what }) => what)).toContain('tryHidingRule');
  });

  test('is tried in pages when there are more ad owners than one request examines', async () => {
    const pool = createTestPool(product.databaseUrl);
    try {
      // These owners have no events, so their ads match no conditions of a hiding rule.
      await pool.query(
        `insert into rm.ad_owners (ad_id, account_id, posted_at)
         select 'ad-' || n, 'owner-' || n, now() from generate_series(1, 200) n`,
      );
      const { examined, total } = await tryRule({ phrases: ['wire transfer'] });
      expect(total).toBeGreaterThan(200);
      expect(examined).toBe(total);
    } finally {
      await pool.query(`delete from rm.ad_owners where account_id like 'owner-%'`);
      await pool.end();
    }
  });

  test('is drafted, changed, switched on and off, and discarded', async () => {
    const drafted = await callRules('POST', '', FIELDS);
    expect(drafted).toMatchObject({ status: 201, body: { success: true } });
    const path = `/${idOf(drafted)}`;
    const changed = await callRules('PUT', path, { ...FIELDS, category: 'massage', minReports: 3 });
    expect((await listRules(changed))[0]).toMatchObject({
      id: idOf(drafted),
      status: 'draft',
      category: 'massage',
      minReports: 3,
      hidden: 0,
      switchedAt: null,
    });
    const on = await callRules('POST', `${path}/on`);
    expect((await listRules(on))[0]).toMatchObject({ status: 'on' });
    expect(await callRules('PUT', path, FIELDS)).toMatchObject({ status: 409, body: { code: 'HIDING_RULE_ON' } });
    expect(await callRules('DELETE', path)).toMatchObject({ status: 409, body: { code: 'HIDING_RULE_ON' } });
    const off = await callRules('POST', `${path}/off`);
    expect((await listRules(off))[0]).toMatchObject({ status: 'off' });
    const discarded = await callRules('DELETE', path);
    expect((await listRules(discarded)).map(({ id }) => id)).not.toContain(idOf(drafted));
    expect(await callRules('POST', `${path}/on`)).toMatchObject({
      status: 404,
      body: { code: 'HIDING_RULE_NOT_FOUND' },
    });
  });

  test('hides ads that are posted, edited or reported while it is on, with a statement of reasons', async () => {
    const before = await postNewAd({ description: 'Gift cards are welcome.' });
    await waitForRules();
    const phraseRuleId = idOf(await callRules('POST', '', { ...FIELDS, phrases: ['gift cards'] }));
    const reportRuleId = idOf(
      await callRules('POST', '', { ...FIELDS, title: 'Many reports', phrases: [], minReports: 2 }),
    );
    for (const id of [phraseRuleId, reportRuleId])
      await api.call('GET', '/api/admin/rules', {
        token: admin.token,
        headers: after(await callRules('POST', `/${id}/on`)),
      });

    const { owner, adId } = await postNewAd({ description: 'Pay with GIFT cards.' });
    await waitUntilHidden(adId);
    expect(await api.call('GET', `/api/ads/${before.adId}`)).toMatchObject({ status: 200 });
    const statements = async () =>
      (await api.call('GET', '/api/account/decisions', { token: owner.token })).body['data'] as StatementView[];
    await eventually(async () =>
      expect(await statements()).toMatchObject([
        {
          subject: { kind: 'ad', id: adId },
          outcome: 'hidden',
          isAutomated: true,
          rule: { id: 'spam' },
          facts: FIELDS.facts,
        },
      ]),
    );

    const edited = await postNewAd({});
    await api.call('PUT', `/api/ads/${edited.adId}`, { token: edited.owner.token, body: { title: 'Only gift cards' } });
    await waitUntilHidden(edited.adId);

    const reported = await postNewAd({});
    for (let n = 0; n < 2; n += 1)
      await api.call('POST', '/api/reports', {
        body: { subject: { kind: 'ad', id: reported.adId }, reason: 'spam', text: `Report ${n}` },
      });
    await waitUntilHidden(reported.adId);
    await eventually(async () => {
      const listedRules = (await api.call('GET', '/api/admin/rules', { token: admin.token })).body[
        'data'
      ] as HidingRuleView[];
      expect(
        listedRules
          .filter(({ id }) => id === phraseRuleId || id === reportRuleId)
          .map(({ hidden }) => hidden)
          .sort(),
      ).toEqual([1, 2]);
    });

    for (const id of [phraseRuleId, reportRuleId])
      await api.call('GET', '/api/admin/rules', {
        token: admin.token,
        headers: after(await callRules('POST', `/${id}/off`)),
      });
    const laterAd = await postNewAd({ description: 'Gift cards again.' });
    // The background task examines ads in the order of their events. When it has hidden this last ad, it has also
    // examined the earlier ad.
    const lastRuleId = idOf(await callRules('POST', '', { ...FIELDS, phrases: ['the very last'] }));
    await api.call('GET', '/api/admin/rules', {
      token: admin.token,
      headers: after(await callRules('POST', `/${lastRuleId}/on`)),
    });
    await waitUntilHidden((await postNewAd({ description: 'The very last.' })).adId);
    expect(await api.call('GET', `/api/ads/${laterAd.adId}`)).toMatchObject({ status: 200 });
    await callRules('POST', `/${lastRuleId}/off`);
  });
});

test('covers every field of the documented responses', () => {
  expect(shown.missing()).toEqual([]);
});
