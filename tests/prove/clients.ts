import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { PASSWORD, validAd } from '../support/api-client.ts';
import type { CallKind, DueLetter, OwnAd, Outcome } from './history.ts';
import type { Recorder } from './recorder.ts';

const RESPONSE_LIMIT_ms = 15_000;
/** Time in which a client repeats a call whose outcome is unknown. */
const REPEAT_LIMIT_ms = 40_000;
const REPEAT_PAUSE_ms = 250;
const PAUSE_ms = 10;
const FIRST_PROVIDER = 'provider-0';
const UNVERIFIED_CHANCE = 0.15;
const READ_CHANCE = 0.4;
/** Probability that a person erases its data with the next call, for the first provider and for the others. */
const ERASE_CHANCE = { first: 0.25, others: 0.02 };
/** Probability that a client repeats a call whose outcome it knows, as if it had lost the response. */
const REPEAT_CHANCE = 0.1;
const REPLIES_PER_THREAD = 100;
/** Error codes of a request that must be repeated, because an earlier attempt may still be running. */
const REPEATABLE = new Set(['IDEMPOTENCY_IN_PROGRESS', 'CONFLICT']);
/** These operations support no Idempotency-Key, so the client does not repeat them. */
const NOT_REPEATED: readonly CallKind[] = ['sign-up', 'verify', 'erase'];

interface ErasedPerson {
  readonly call: string;
  /** Texts that occur only in data of this person. */
  readonly texts: readonly string[];
}

/** The settings and records that all clients of a run share. */
export interface Workload {
  readonly url: string;
  /** Text that starts the id of each call. */
  readonly prefix: string;
  readonly adminEmail: string;
  readonly recorder: Recorder;
  readonly random: () => number;
  readonly due: DueLetter[];
  readonly erased: ErasedPerson[];
  /** Ids of ads that exist or existed. */
  readonly adIds: string[];
  isOver: boolean;
}

interface Response {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Readonly<Record<string, unknown>>;
}

async function request(
  url: string,
  method: string,
  path: string,
  { token, headers, body }: { token?: string | null; headers?: Readonly<Record<string, string>>; body?: unknown } = {},
): Promise<Response | null> {
  try {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: {
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(typeof token === 'string' && { authorization: `Bearer ${token}` }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(RESPONSE_LIMIT_ms),
    });
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      body: text.startsWith('{') ? (JSON.parse(text) as Response['body']) : {},
    };
  } catch {
    return null;
  }
}

/** Returns the error code of a response, or an empty text. */
const codeOf = ({ body: { code } }: Response) => (typeof code === 'string' ? code : '');

interface Result {
  readonly id: string;
  readonly outcome: Outcome;
  readonly response: Response | null;
}

let calls = 0;

/** Sends one command until its outcome is known, and records it. `isDone` recognizes a response with an effect. */
async function command(
  { url, prefix, recorder, random }: Workload,
  client: string,
  kind: CallKind,
  [method, path, body]: readonly [string, string, unknown?],
  token: string | null = null,
  isDone: (status: number) => boolean = (status) => status < 300,
): Promise<Result> {
  const id = `${prefix}-${String((calls += 1)).padStart(6, '0')}`;
  recorder.begin(id);
  const start_ms = Date.now();
  let outcome: Outcome = 'unknown';
  let response: Response | null = null;
  let attempts = 0;
  const send = () =>
    request(url, method, path, {
      token,
      headers: { 'x-request-id': id, 'idempotency-key': id },
      ...(body !== undefined && { body }),
    });
  const mayRepeat = !NOT_REPEATED.includes(kind);
  do {
    if (attempts > 0) await pause(REPEAT_PAUSE_ms);
    attempts += 1;
    response = await send();
    if (!response || response.status >= 500 || REPEATABLE.has(codeOf(response))) continue;
    if (isDone(response.status)) outcome = 'ok';
    // The effect of an earlier attempt can be the reason for this rejection.
    else if (attempts === 1) outcome = 'fail';
    break;
  } while (mayRepeat && Date.now() - start_ms < REPEAT_LIMIT_ms);
  const { status = 0 } = response ?? {};
  const end_ms = Date.now();
  let repetition = outcome === 'ok' && mayRepeat && random() < REPEAT_CHANCE ? await send() : null;
  // The product sends a response even if it could not store it. Repetitions are then rejected until the key is free.
  while (repetition && REPEATABLE.has(codeOf(repetition)) && Date.now() - end_ms < REPEAT_LIMIT_ms) {
    await pause(REPEAT_PAUSE_ms);
    repetition = await send();
  }
  recorder.record({
    type: 'call',
    id,
    client,
    kind,
    start_ms,
    end_ms,
    attempts,
    outcome,
    status,
    ...(repetition && { repeatStatus: repetition.status, repeatCode: codeOf(repetition) }),
  });
  return { id, outcome, response };
}

interface Person {
  readonly email: string;
  readonly name: string;
  readonly token: string;
}

/** Signs up a person. Returns null if the person cannot be used, because a call had no clear outcome. */
async function signUp(
  load: Workload,
  client: string,
  userType: 'client' | 'provider',
  { email = `${randomUUID()}@example.com`, verifies = true } = {},
): Promise<Person | null> {
  const name = `Name ${randomUUID().slice(0, 8)}`;
  const body = { email, password: PASSWORD, userType, displayName: name, age: 30 };
  const signedUp = await command(load, client, 'sign-up', ['POST', '/api/auth/signup', body]);
  if (signedUp.outcome !== 'ok') return null;
  const { token, verificationCode } = signedUp.response?.body as { token: string; verificationCode: string };
  if (!verifies) {
    load.due.push({ call: signedUp.id, to: email, code: verificationCode });
    return null;
  }
  const verification = { email, code: verificationCode };
  const verified = await command(load, client, 'verify', ['POST', '/api/auth/verify-email', verification], token);
  return verified.outcome === 'ok' ? { email, name, token } : null;
}

/** A provider posts, edits, bumps and deletes ads and reads its own writes. Some providers erase their data. */
export async function runProvider(load: Workload, client: string): Promise<void> {
  while (!load.isOver) {
    const person = await signUp(load, client, 'provider', { verifies: load.random() >= UNVERIFIED_CHANCE });
    if (person) await runAds(load, client, person);
    await pause(REPEAT_PAUSE_ms);
  }
}

/** Writes ads until a call of this person has an unexpected outcome, or the person erases its data. */
async function runAds(load: Workload, client: string, { email, name, token }: Person): Promise<void> {
  const { random } = load;
  const eraseChance = client === FIRST_PROVIDER ? ERASE_CHANCE.first : ERASE_CHANCE.others;
  let ad: OwnAd | null = null;
  /** The id of the last ad, also after its deletion. */
  let adId = '';
  const texts = [email, name];
  const send = (kind: CallKind, input: readonly [string, string, unknown?]) =>
    command(load, client, kind, input, token);
  while (!load.isOver) {
    const title = `Title ${randomUUID()}`;
    const roll = random();
    let result: Result;
    if (ad === null) {
      texts.push(title);
      result = await send('post', ['POST', '/api/ads', { ...validAd, name, title }]);
      if (result.outcome !== 'ok') return;
      ad = { id: (result.response?.body as { ad: { id: string } }).ad.id, title };
      adId = ad.id;
      load.adIds.push(adId);
    } else if (roll < eraseChance) {
      // Unlike an ad, a report remains when its author leaves. Only the erasure removes its text.
      const text = `Report ${randomUUID()}`;
      texts.push(text);
      const subject = { kind: 'ad', id: load.adIds[Math.floor(random() * load.adIds.length)] };
      await send('report', ['POST', '/api/reports', { subject, reason: 'spam', text }]);
      result = await send('erase', ['POST', '/api/account/erasure', { password: PASSWORD }]);
      if (result.outcome === 'ok') load.erased.push({ call: result.id, texts });
      return;
    } else if (roll < eraseChance + 0.08) {
      result = await send('bump', ['POST', `/api/ads/${ad.id}/bump`]);
      if (result.outcome === 'unknown' || result.response?.status !== 429) return;
      continue;
    } else if (roll < eraseChance + 0.18) {
      result = await send('delete', ['DELETE', `/api/ads/${ad.id}`]);
      if (result.outcome !== 'ok') return;
      ad = null;
    } else {
      texts.push(title);
      result = await send('edit', ['PUT', `/api/ads/${ad.id}`, { title }]);
      if (result.outcome !== 'ok') return;
      ad = { id: ad.id, title };
    }
    if (random() < READ_CHANCE) await readOwnAd(load, client, token, result, ad);
    if (random() < READ_CHANCE) await readAdPage(load, client, result, adId, ad);
    await pause(PAUSE_ms);
  }
}

/**
 * Reads the ads of a provider after its write, and records what it read. Only status 200 is a result. Any other
 * response, such as 503 after a wait that was too long, and a missing response say nothing about the read model.
 */
export async function readOwnAd(
  { url, recorder }: { readonly url: string; readonly recorder: Pick<Recorder, 'record'> },
  client: string,
  token: string,
  { id, response }: Result,
  expected: OwnAd | null,
): Promise<void> {
  const start_ms = Date.now();
  const position = response?.headers.get('x-position') ?? '';
  const read = await request(url, 'GET', '/api/ads/user', { token, headers: { 'x-wait-position': position } });
  if (read?.status !== 200) return;
  const ads = (read.body as { data: { id: string; title: string; isActive: boolean }[] }).data;
  const active = ads.find(({ isActive }) => isActive);
  const actual = active ? { id: active.id, title: active.title } : null;
  recorder.record({ type: 'read', client, start_ms, end_ms: Date.now(), after: id, expected, actual });
}

/**
 * Reads the page of an ad as a visitor after a write of its provider, and records what it read. Unlike the list of own
 * ads, a replica of the database may serve this read. Any status except 200 and 404 says nothing about the read model.
 */
export async function readAdPage(
  { url, recorder }: { readonly url: string; readonly recorder: Pick<Recorder, 'record'> },
  client: string,
  { id, response }: Result,
  adId: string,
  expected: OwnAd | null,
): Promise<void> {
  const start_ms = Date.now();
  const position = response?.headers.get('x-position') ?? '';
  const read = await request(url, 'GET', `/api/ads/${adId}`, { headers: { 'x-wait-position': position } });
  if (read?.status !== 200 && read?.status !== 404) return;
  const found = (read.body as { data?: OwnAd }).data;
  const actual = found ? { id: found.id, title: found.title } : null;
  recorder.record({ type: 'read', client, start_ms, end_ms: Date.now(), after: id, expected, actual });
}

/** A visitor adds ads to its favorites and reports them. */
export async function runVisitor(load: Workload, client: string): Promise<void> {
  while (!load.isOver) {
    const person = await signUp(load, client, 'client');
    const used = new Set<string>();
    while (!load.isOver && person) {
      const adId = load.adIds.at(-1 - Math.floor(load.random() * 20)) ?? load.adIds[0];
      await pause(PAUSE_ms * 5);
      if (adId === undefined || used.has(adId)) continue;
      used.add(adId);
      const subject = { kind: 'ad', id: adId };
      const { outcome, response } =
        load.random() < 0.5
          ? await command(load, client, 'favor', ['POST', '/api/favorites', { adId }], person.token, (s) => s === 201)
          : await command(load, client, 'report', ['POST', '/api/reports', { subject, reason: 'spam' }], person.token);
      if (outcome !== 'ok' && response?.status === 401) break;
    }
    await pause(REPEAT_PAUSE_ms);
  }
}

/** The admin writes in the community, because the limits for new members do not apply to admins. */
export async function runAdmin(load: Workload, client: string): Promise<void> {
  let person: Person | null = null;
  while (!load.isOver) {
    person ??= await signUp(load, client, 'client', { email: load.adminEmail });
    if (!person) {
      // The account may exist although its sign-up had no clear outcome.
      const body = { email: load.adminEmail, password: PASSWORD };
      const login: Response | null = await request(load.url, 'POST', '/api/auth/login', { body });
      if (login?.status === 200) person = { email: load.adminEmail, name: '', token: String(login.body['token']) };
      await pause(REPEAT_PAUSE_ms);
      continue;
    }
    const { token }: Person = person;
    const place = { country: 'us', state: 'NV', city: 'Las Vegas' };
    const started = await command(
      load,
      client,
      'thread',
      ['POST', '/api/community/threads', { ...place, title: `Thread ${randomUUID()}`, body: `Text ${randomUUID()}` }],
      token,
    );
    if (started.response?.status === 401) person = null;
    const { id } = (started.response?.body['data'] ?? {}) as { id?: string };
    for (let n = 0; n < REPLIES_PER_THREAD && id !== undefined && !load.isOver; n += 1) {
      const reply = { body: `Reply ${randomUUID()}` };
      const { outcome } = await command(
        load,
        client,
        'reply',
        ['POST', `/api/community/threads/${id}/replies`, reply],
        token,
      );
      if (outcome === 'fail') break;
      await pause(PAUSE_ms * 3);
    }
    await pause(PAUSE_ms);
  }
}
