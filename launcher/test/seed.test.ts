import {
  account,
  findEventDefinition,
  listing,
  START_POSITION,
  toDomainEvent,
  type DomainEvent,
  type EventStore,
} from '@alpenglow/domain';
import { closeAccount } from '@alpenglow/domain/deciders';
import { createCommandHandler, createMemoryEventStore } from '@alpenglow/infra';
import { beforeEach, describe, expect, test } from 'vitest';
import { demoAds } from '../seed/demo-ads.ts';
import { seedDemo } from '../seed/seed-demo.ts';
import { seedGeneratedAds } from '../seed/seed-generated-ads.ts';

const createAccountId = (email: string) => email.replaceAll(/\W/gu, '-');
const ads = demoAds();

let store: EventStore;
beforeEach(() => {
  store = createMemoryEventStore();
});
const seed = (onProgress?: (done: number) => void) =>
  seedDemo({ commands: createCommandHandler(store), createAccountId, ...(onProgress && { onProgress }) });

async function readAllEvents(): Promise<readonly DomainEvent[]> {
  const events: DomainEvent[] = [];
  for (let after = START_POSITION; ; ) {
    const page = await store.readAll({ after, limit: 1000 });
    for (const recorded of page) {
      expect(findEventDefinition(recorded.type)?.version).toBe(recorded.version);
      const event = toDomainEvent(recorded);
      if (event) events.push(event);
    }
    const last = page.at(-1);
    if (!last) return events;
    after = last.position;
  }
}
const countOf = (events: readonly DomainEvent[], type: DomainEvent['type']) =>
  events.filter((event) => event.type === type).length;

describe('seeding the demo', () => {
  test('posts every demo ad with its reviews, features a dozen, and creates the login accounts', async () => {
    await seed();
    const events = await readAllEvents();
    expect(countOf(events, 'AdPosted')).toBe(ads.length);
    expect(countOf(events, 'AdReviewed')).toBe(ads.flatMap(({ reviews }) => reviews).length);
    expect(countOf(events, 'AdFeatured')).toBe(ads.filter(({ isFeatured }) => isFeatured).length);
    expect(
      events.flatMap((event) =>
        event.type === 'AccountRegistered' && event.data.passwordHash !== null ? event.data.email : [],
      ),
    ).toEqual(['admin@demo.alpenglow.example', 'client@demo.alpenglow.example', 'provider@demo.alpenglow.example']);
  });
  test('again changes nothing, even if ads were deleted and accounts closed', async () => {
    await seed();
    const commands = createCommandHandler(store);
    const origin = { actor: { kind: 'system', name: 'test' } as const, correlationId: 'test' };
    const [first] = ads;
    const owner = createAccountId(first?.email ?? '');
    await commands.handle(
      listing,
      owner,
      ({ ad }) => [{ type: 'AdDeleted', data: { accountId: owner, adId: ad?.adId ?? '', reason: null } }],
      origin,
    );
    await commands.execute(
      account,
      createAccountId('provider@demo.alpenglow.example'),
      closeAccount,
      { reason: null },
      origin,
    );
    const before = await store.readHead();
    await seed();
    expect(await store.readHead()).toBe(before);
  });
  test('creates only missing ads after an interruption', async () => {
    const interruption = new Error('interrupted');
    await expect(
      seed((done) => {
        if (done === 400) throw interruption;
      }),
    ).rejects.toBe(interruption);
    await seed();
    const events = await readAllEvents();
    expect(countOf(events, 'AdPosted')).toBe(ads.length);
    expect(countOf(events, 'AdReviewed')).toBe(ads.flatMap(({ reviews }) => reviews).length);
    expect(countOf(events, 'AdFeatured')).toBe(ads.filter(({ isFeatured }) => isFeatured).length);
  });
});

describe('seeding generated ads', () => {
  const generate = (count: number, signal?: AbortSignal) =>
    seedGeneratedAds({ commands: createCommandHandler(store), createAccountId }, count, { signal });

  test('creates the requested number of ads, each with its own poster', async () => {
    await generate(700);
    const events = await readAllEvents();
    const posted = events.filter((event) => event.type === 'AdPosted');
    expect(posted).toHaveLength(700);
    expect(new Set(posted.map(({ data }) => data.accountId)).size).toBe(700);
    expect(new Set(posted.map(({ data }) => `${data.state} ${data.city}`)).size).toBeGreaterThan(100);
    expect(new Set(posted.map(({ data }) => data.name)).size).toBeGreaterThan(600);
    expect(countOf(events, 'AccountRegistered')).toBe(700);
    expect(countOf(events, 'EmailVerified')).toBe(700);
  });
  test('again creates only missing ads', async () => {
    await generate(50);
    const before = await store.readHead();
    await generate(50);
    expect(await store.readHead()).toBe(before);
    await generate(60);
    expect(countOf(await readAllEvents(), 'AdPosted')).toBe(60);
  });
  test('stops when its signal aborts', async () => {
    await expect(generate(100_000, AbortSignal.abort())).rejects.toThrow('aborted');
    expect(countOf(await readAllEvents(), 'AdPosted')).toBe(0);
  });
});
