import type { HidingRuleView, RuleTrialAnswer, StatementView } from '@alpenglow/domain';
import { Pool } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { apiClient, type Answer, type ApiClient, type Person } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { startTestProduct, type TestProduct } from '../support/product.ts';
import { openRecording, type Recording } from '../support/recording.ts';
import { watchShown } from '../support/shown-elsewhere.ts';

const shown = watchShown('hiding-rules.test.ts');
let product: TestProduct;
let api: ApiClient;
let recording: Recording;
let admin: Person;

beforeAll(async () => {
  product = await startTestProduct();
  api = apiClient(product.url);
  recording = await openRecording(product);
  admin = await recording.member({ role: 'admin' });
});
afterAll(async () => {
  await recording.close();
  shown.stop();
  await product.stop();
});

const FIELDS = {
  title: 'Asks for money first',
  category: null,
  phrases: ['Wire transfer'],
  youngerThanDays: 30,
  minReports: null,
  rule: 'spam',
  facts: 'The ad asks for money before a meeting.',
};
const seen = (after: Answer) => ({ 'x-wait-position': after.headers.get('x-position') ?? '' });
const onRule = (method: 'POST' | 'PUT' | 'DELETE', path: string, body?: unknown) =>
  api.call(method, `/api/admin/rules${path}`, { token: admin.token, ...(body !== undefined && { body }) });
const rules = async (after: Answer) =>
  (await api.call('GET', '/api/admin/rules', { token: admin.token, headers: seen(after) })).body[
    'data'
  ] as HidingRuleView[];
const idOf = (answer: Answer) => (answer.body['data'] as { id: string }).id;

async function posted(fields: Record<string, unknown>) {
  const owner = await recording.member({ userType: 'provider', age_ms: 0 });
  const { id: adId, position } = await api.postAd(owner.token, fields);
  // An ad that is not there yet would look like a hidden one.
  await api.call('GET', `/api/ads/${adId}`, { headers: { 'x-wait-position': position } });
  return { owner, adId };
}

/** Every part of a trial, as a page asks for them. */
async function tryOut(
  conditions: unknown,
): Promise<{ hits: RuleTrialAnswer['data']; examined: number; total: number | null }> {
  const parts: RuleTrialAnswer[] = [];
  for (let cursor: string | null = null; ; ) {
    const answer = await onRule('POST', '/try', { ...(conditions as object), cursor });
    expect(answer).toMatchObject({ status: 200 });
    const part = answer.body as unknown as RuleTrialAnswer;
    parts.push(part);
    cursor = part.nextCursor;
    if (cursor === null) break;
  }
  return {
    hits: parts.flatMap(({ data }) => data),
    examined: parts.reduce((sum, { examined }) => sum + examined, 0),
    total: parts[0]?.total ?? null,
  };
}

const untilHidden = (adId: string) =>
  eventually(async () => expect(await api.call('GET', `/api/ads/${adId}`)).toMatchObject({ status: 404 }));

describe('a hiding rule', () => {
  test('is tried over all history before it is on, and hides nothing then', async () => {
    const { adId } = await posted({ description: 'Send a WIRE-transfer first.' });
    await posted({ description: 'A wire. A transfer of thoughts.' });
    const conditions = { phrases: ['wire transfer'], youngerThanDays: 30 };
    const { hits, examined, total } = await eventually(async () => {
      const trial = await tryOut(conditions);
      expect(trial.hits.filter((hit) => hit.adId === adId)).toMatchObject([{ because: 'posted', isUp: true }]);
      return trial;
    });
    expect(hits).toHaveLength(1);
    expect(examined).toBe(total);
    expect(examined).toBeGreaterThan(1);
    expect((await tryOut({ ...conditions, category: 'fetish' })).hits).toEqual([]);
    expect(await api.call('GET', `/api/ads/${adId}`)).toMatchObject({ status: 200 });
    expect(await onRule('POST', '/try', { phrases: [] })).toMatchObject({
      status: 400,
      body: { code: 'INVALID_FIELDS' },
    });
    const { data } = (await api.call('GET', `/api/admin/staff-reads?staff=${admin.user.id}`, { token: admin.token }))
      .body as { data: { what: string }[] };
    expect(data.map(({ what }) => what)).toContain('tryHidingRule');
  });

  test('is tried in parts where there are more owners of ads than one call looks at', async () => {
    const pool = new Pool({ connectionString: product.databaseUrl });
    try {
      // Of whom nothing else is known: there is nothing to find in their histories.
      await pool.query(
        `insert into rm.ad_owners (ad_id, account_id, posted_at) select 'ad-' || n, 'nobody-' || n, now() from generate_series(1, 200) n`,
      );
      const { examined, total } = await tryOut({ phrases: ['wire transfer'] });
      expect(total).toBeGreaterThan(200);
      expect(examined).toBe(total);
    } finally {
      await pool.query(`delete from rm.ad_owners where account_id like 'nobody-%'`);
      await pool.end();
    }
  });

  test('is drafted, changed, switched on and off, and thrown away', async () => {
    const drafted = await onRule('POST', '', FIELDS);
    expect(drafted).toMatchObject({ status: 201, body: { success: true } });
    const path = `/${idOf(drafted)}`;
    const changed = await onRule('PUT', path, { ...FIELDS, category: 'massage', minReports: 3 });
    expect((await rules(changed))[0]).toMatchObject({
      id: idOf(drafted),
      status: 'draft',
      category: 'massage',
      minReports: 3,
      hidden: 0,
      switchedAt: null,
    });
    const on = await onRule('POST', `${path}/on`);
    expect((await rules(on))[0]).toMatchObject({ status: 'on' });
    expect(await onRule('PUT', path, FIELDS)).toMatchObject({ status: 409, body: { code: 'HIDING_RULE_ON' } });
    expect(await onRule('DELETE', path)).toMatchObject({ status: 409, body: { code: 'HIDING_RULE_ON' } });
    const off = await onRule('POST', `${path}/off`);
    expect((await rules(off))[0]).toMatchObject({ status: 'off' });
    const gone = await onRule('DELETE', path);
    expect((await rules(gone)).map(({ id }) => id)).not.toContain(idOf(drafted));
    expect(await onRule('POST', `${path}/on`)).toMatchObject({ status: 404, body: { code: 'HIDING_RULE_NOT_FOUND' } });
  });

  test('that is on hides what is posted, edited or reported from then on, with a statement of reasons; off, nothing more', async () => {
    const before = await posted({ description: 'Gift cards are welcome.' });
    const words = idOf(await onRule('POST', '', { ...FIELDS, phrases: ['gift cards'] }));
    const reports = idOf(await onRule('POST', '', { ...FIELDS, title: 'Many reports', phrases: [], minReports: 2 }));
    for (const id of [words, reports])
      await api.call('GET', '/api/admin/rules', {
        token: admin.token,
        headers: seen(await onRule('POST', `/${id}/on`)),
      });

    const { owner, adId } = await posted({ description: 'Pay with GIFT cards.' });
    await untilHidden(adId);
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

    const edited = await posted({});
    await api.call('PUT', `/api/ads/${edited.adId}`, { token: edited.owner.token, body: { title: 'Only gift cards' } });
    await untilHidden(edited.adId);

    const reported = await posted({});
    for (let n = 0; n < 2; n += 1)
      await api.call('POST', '/api/reports', {
        body: { subject: { kind: 'ad', id: reported.adId }, reason: 'spam', text: `Report ${n}` },
      });
    await untilHidden(reported.adId);
    await eventually(async () => {
      const found = (await api.call('GET', '/api/admin/rules', { token: admin.token })).body[
        'data'
      ] as HidingRuleView[];
      expect(
        found
          .filter(({ id }) => id === words || id === reports)
          .map(({ hidden }) => hidden)
          .sort(),
      ).toEqual([1, 2]);
    });

    for (const id of [words, reports])
      await api.call('GET', '/api/admin/rules', {
        token: admin.token,
        headers: seen(await onRule('POST', `/${id}/off`)),
      });
    const later = await posted({ description: 'Gift cards again.' });
    // Whatever comes after it in the same duty has been looked at once this is hidden by a rule that is on.
    const last = idOf(await onRule('POST', '', { ...FIELDS, phrases: ['the very last'] }));
    await api.call('GET', '/api/admin/rules', {
      token: admin.token,
      headers: seen(await onRule('POST', `/${last}/on`)),
    });
    await untilHidden((await posted({ description: 'The very last.' })).adId);
    expect(await api.call('GET', `/api/ads/${later.adId}`)).toMatchObject({ status: 200 });
    await onRule('POST', `/${last}/off`);
  });
});

test('every property of what is answered here has been seen', () => {
  expect(shown.missing()).toEqual([]);
});
