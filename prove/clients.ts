import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { after, PASSWORD, validAd } from '../tests/support/api-client.ts';
import { command, REPEAT_PAUSE_ms, request, signUp, type Person, type Result, type Workload } from './command.ts';
import type { CallKind, OwnAd } from './history.ts';
import type { Recorder } from './recorder.ts';
import { uniqueWord } from '../tests/support/unique-word.ts';

const PAUSE_ms = 10;
/** Number of calls that a client sends without waiting for the responses. */
export const BURST = 6;
const FIRST_PROVIDER = 'provider-0';
const UNVERIFIED_CHANCE = 0.25;
const READ_CHANCE = 0.4;
/** Probability that a person erases its data with the next call, for the first provider and for the others. */
const ERASE_CHANCE = { first: 0.25, others: 0.01 };
const UPLOAD_CHANCE = 0.02;
/** Number of the newest ads that visitors react to. */
const RECENT_ADS = 40;
/** The ads are in two cities, so that a message about an ad concerns only some of the live clients with topics. */
export const CITIES = ['Las Vegas', 'Reno'] as const;

/** A provider posts, edits, bumps and deletes ads and reads its own writes. Some providers erase their data. */
export async function runProvider(load: Workload, client: string, photo: Buffer): Promise<void> {
  while (!load.isOver) {
    const person = await signUp(load, client, 'provider', { verifies: load.random() >= UNVERIFIED_CHANCE });
    if (person) await runAds(load, client, person, photo);
    await pause(REPEAT_PAUSE_ms);
  }
}

/** Writes ads until a call of this person has an unexpected outcome, or the person erases its data. */
async function runAds(load: Workload, client: string, person: Person, photo: Buffer): Promise<void> {
  const { random, mayCall } = load;
  const { email, name, token } = person;
  const eraseChance = client === FIRST_PROVIDER ? ERASE_CHANCE.first : ERASE_CHANCE.others;
  let ad: OwnAd | null = null;
  /** The id of the last ad, also after its deletion. */
  let adId = '';
  const texts = [email, name];
  const ids = [person.id];
  const send = (kind: CallKind, input: readonly [string, string, unknown?]) =>
    command(load, client, kind, input, token);
  const upload = async () => {
    const form = new FormData();
    form.append('photos', new Blob([new Uint8Array(photo)], { type: 'image/jpeg' }), 'photo.jpg');
    const { outcome, response } = await send('upload', ['POST', '/api/uploads/photos', form]);
    const { media = [] } = (response?.body ?? {}) as { media?: readonly { id: string }[] };
    if (outcome === 'ok') ids.push(...media.map(({ id }) => id));
    return outcome === 'ok';
  };
  // The first provider erases its data soon, and an erasure must find photos.
  if (client === FIRST_PROVIDER && !(await upload())) return;
  while (!load.isOver) {
    const title = `Title ${uniqueWord()}`;
    const roll = random();
    let result: Result | null;
    if (ad === null) {
      texts.push(title);
      const city = CITIES[Math.floor(random() * CITIES.length)];
      result = await send('post', ['POST', '/api/ads', { ...validAd, city, name, title }]);
      if (result.outcome !== 'ok') return;
      ad = { id: (result.response?.body as { ad: { id: string } }).ad.id, title };
      adId = ad.id;
      load.adIds.push(adId);
    } else if (roll < eraseChance && mayCall('erase')) {
      // Unlike an ad, a report remains when its author leaves. Only the erasure removes its text.
      const text = `Report ${randomUUID()}`;
      texts.push(text);
      const subject = { kind: 'ad', id: load.adIds[Math.floor(random() * load.adIds.length)] };
      await send('report', ['POST', '/api/reports', { subject, reason: 'spam', text }]);
      result = await send('erase', ['POST', '/api/account/erasure', { password: PASSWORD }]);
      if (result.outcome === 'ok') load.erased.push({ call: result.id, texts, ids });
      return;
    } else if (roll < eraseChance + 0.02 && mayCall('bump')) {
      result = await send('bump', ['POST', `/api/ads/${ad.id}/bump`]);
      if (result.outcome === 'unknown' || result.response?.status !== 429) return;
      continue;
    } else if (roll < eraseChance + 0.08 && mayCall('delete')) {
      result = await send('delete', ['DELETE', `/api/ads/${ad.id}`]);
      if (result.outcome !== 'ok') return;
      ad = null;
    } else if (roll < eraseChance + 0.08 + UPLOAD_CHANCE && mayCall('upload')) {
      if (!(await upload())) return;
      continue;
    } else {
      const last = await editAtOnce(load, ad.id, send);
      texts.push(...last.titles);
      if (last.edit === null) return;
      result = last.edit.result;
      ad = { id: ad.id, title: last.edit.title };
    }
    if (random() < READ_CHANCE) await readOwnAd(load, client, token, result, ad);
    if (random() < READ_CHANCE) await readAdPage(load, client, result, adId, ad);
    await pause(PAUSE_ms);
  }
}

/**
 * Sends several edits of an ad without waiting for the responses. Returns all titles, and the edit that the product
 * stored last. It is null if an edit has an unexpected outcome.
 */
async function editAtOnce(
  { positionOf }: Workload,
  adId: string,
  send: (kind: CallKind, input: readonly [string, string, unknown?]) => Promise<Result>,
): Promise<{ readonly titles: readonly string[]; readonly edit: { title: string; result: Result } | null }> {
  const titles = Array.from({ length: BURST }, () => `Title ${uniqueWord()}`);
  const results = await Promise.all(titles.map((title) => send('edit', ['PUT', `/api/ads/${adId}`, { title }])));
  if (results.some(({ outcome }) => outcome !== 'ok')) return { titles, edit: null };
  const edits = results.map((result, index) => ({
    title: titles[index] ?? '',
    result,
    position: positionOf(result.response?.headers.get('x-position') ?? ''),
  }));
  return { titles, edit: edits.reduce((last, edit) => (edit.position > last.position ? edit : last)) };
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
  const read = await request(url, 'GET', '/api/ads/user', { token, headers: after(position) });
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
  const read = await request(url, 'GET', `/api/ads/${adId}`, { headers: after(position) });
  if (read?.status !== 200 && read?.status !== 404) return;
  const found = (read.body as { data?: OwnAd }).data;
  const actual = found ? { id: found.id, title: found.title } : null;
  recorder.record({ type: 'read', client, start_ms, end_ms: Date.now(), after: id, expected, actual });
}

/** A visitor adds ads to its favorites and reports them, several at once. */
export async function runVisitor(load: Workload, client: string): Promise<void> {
  while (!load.isOver) {
    const person = await signUp(load, client, 'client');
    const used = new Set<string>();
    while (!load.isOver && person) {
      const adIds = load.adIds
        .slice(-RECENT_ADS)
        .filter((id) => !used.has(id))
        .slice(0, BURST);
      for (const adId of adIds) used.add(adId);
      const results = await Promise.all(
        adIds.map((adId) => {
          const report = { subject: { kind: 'ad', id: adId }, reason: 'spam' };
          return load.random() < 0.5 || !load.mayCall('report')
            ? command(load, client, 'favor', ['POST', '/api/favorites', { adId }], person.token, (s) => s === 201)
            : command(load, client, 'report', ['POST', '/api/reports', report], person.token);
        }),
      );
      if (results.some(({ outcome, response }) => outcome !== 'ok' && response?.status === 401)) break;
      await pause(PAUSE_ms * 5);
    }
    await pause(REPEAT_PAUSE_ms);
  }
}
