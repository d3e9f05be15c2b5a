import { randomUUID } from 'node:crypto';
import type { LiveMessage, ResponseOf } from '@alpenglow/domain';
import { describe, expect, test } from 'vitest';
import { after, type ApiResponse } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { connectLive } from '../support/live.ts';
import { testApi, testProduct } from '../support/fixtures.ts';

/**
 * A visitor finds out whether an e-mail address has an account. The request for a new password stores an event only if
 * the account exists. Positions in the event log around the request would reveal this event (R-7.34, decision 0060).
 */

const product = testProduct();
const api = testApi(product);

const GUESSES = 8;

/** The kinds of numbers that the attacker tries to read from an observed text. Each of them may be a position. */
function readNumbers(text: string): readonly bigint[] {
  const decoded = Buffer.from(text, 'base64url');
  return [
    ...[...text.matchAll(/\d{10,20}/gu)].map(([digits]) => BigInt(digits)),
    ...[...decoded.toString('latin1').matchAll(/\d{10,20}/gu)].map(([digits]) => BigInt(digits)),
  ];
}

/**
 * Returns true if the observations before and after a request suggest that the request has stored an event. The texts
 * of an observation without an event differ by `step`.
 */
function suggestsEvent(before: string, after: string, step: bigint): boolean {
  const earlier = readNumbers(before);
  return readNumbers(after).some((later) => earlier.some((one) => later - one > step && later - one < 100n));
}

const headOf = ({ body }: ApiResponse) => JSON.stringify((body['data'] as ResponseOf<'getSyncStatus'>['data']).head);

/** Ways to observe positions, and the step between two observations if nothing else has happened. */
const OBSERVERS: readonly { readonly name: string; readonly step: bigint; readonly observe: () => Promise<string> }[] =
  [
    { name: 'GET /sync/status', step: 0n, observe: async () => headOf(await api.call('GET', '/api/sync/status')) },
    { name: 'POST /sync/force', step: 0n, observe: async () => headOf(await api.call('POST', '/api/sync/force')) },
    {
      name: 'X-Position',
      step: 1n,
      async observe() {
        const { status, headers } = await api.call('POST', '/api/consents', {
          body: { visitorId: randomUUID(), kind: 'age_gate', textVersion: 1, choice: 'accepted' },
        });
        expect(status).toBeLessThan(300);
        return headers.get('x-position') ?? '';
      },
    },
  ];

describe('a visitor cannot guess accounts by', () => {
  test.each(OBSERVERS)('$name', async ({ step, observe }) => {
    const known = await Promise.all(Array.from({ length: GUESSES }, async () => (await api.signUp('client')).email));
    const suspected: string[] = [];
    for (const email of known) {
      const before = await observe();
      expect((await api.call('POST', '/api/auth/forgot-password', { body: { email } })).status).toBe(200);
      if (suggestsEvent(before, await observe(), step)) suspected.push(email);
    }
    expect(suspected).toEqual([]);
  });
});

test('the live channel and the first HTML contain no position, and tokens of the same position differ', async () => {
  const { token } = await api.signUp('provider');
  const client = await connectLive(product.url);
  const { id, position } = await api.postAd(token);
  const message = await client.next((one: LiveMessage) => 'adId' in one && one.adId === id);
  client.close();
  // If data is late, the server sends the page without it.
  const embedded = await eventually(async () => {
    const html = await (await fetch(product.url)).text();
    const data = JSON.parse(/id="first-answers">(.*?)<\/script>/su.exec(html)?.[1] ?? '{}') as { position?: string };
    if (data.position === undefined) throw new Error('The page contains no data');
    return data.position;
  });
  const tokens = [position, message.seq, ...embedded.split(',')];
  for (const one of tokens) expect(one).toMatch(/^[\w-]{140}$/u);
  expect(new Set(tokens).size).toBe(tokens.length);
});

test('a client that resumes with a token receives the later messages only', async () => {
  const { token } = await api.signUp('provider');
  const { id, position } = await api.postAd(token);
  await api.call('PUT', `/api/ads/${id}`, { token, body: { title: 'Later' } });
  const client = await connectLive(product.url, { since: position });
  await client.next((one: LiveMessage) => one.type === 'ad_updated' && one.adId === id);
  expect(client.messages.filter(({ type }) => type === 'ad_created')).toEqual([]);
  client.close();
});

test.each(['0000000000000000001', 'A'.repeat(92), 'A'.repeat(140), `${'A'.repeat(92)},x`, '1,2,3,4,5'])(
  'a forged position %s is ignored by reads, and makes a live client reload',
  async (forged) => {
    const read = await api.call('GET', '/api/ads', { headers: after(forged) });
    expect(read.status).toBe(200);
    expect(await (await connectLive(product.url, { since: forged })).closed).toBe(4410);
  },
);
