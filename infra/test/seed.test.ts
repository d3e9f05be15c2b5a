import {
  account,
  closeAccount,
  definitionOf,
  listing,
  START,
  toDomainEvent,
  type DomainEvent,
  type EventStore,
} from '@alpenglow/domain';
import { createCommandHandler, createMemoryEventStore } from '@alpenglow/infra';
import { beforeEach, describe, expect, test } from 'vitest';
import { demoAds } from '../embedded/seed/demo-ads.ts';
import { seedDemo } from '../embedded/seed/seed.ts';
import { seedGenerated } from '../embedded/seed/seed-generated.ts';

const accountIdOf = (email: string) => email.replaceAll(/\W/gu, '-');
const ads = demoAds();

let store: EventStore;
beforeEach(() => {
  store = createMemoryEventStore();
});
const seed = (onProgress?: (done: number) => void) =>
  seedDemo({ commands: createCommandHandler(store), accountIdOf, ...(onProgress && { onProgress }) });

async function everything(): Promise<readonly DomainEvent[]> {
  const events: DomainEvent[] = [];
  for (let after = START; ; ) {
    const page = await store.readAll({ after, limit: 1000 });
    for (const recorded of page) {
      expect(definitionOf(recorded.type)?.version).toBe(recorded.version);
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
  test('posts every demo ad with its reviews, features a dozen, and opens the accounts one can sign in with', async () => {
    await seed();
    const events = await everything();
    expect(countOf(events, 'AdPosted')).toBe(ads.length);
    expect(countOf(events, 'AdReviewed')).toBe(ads.flatMap(({ reviews }) => reviews).length);
    expect(countOf(events, 'AdFeatured')).toBe(ads.filter(({ isFeatured }) => isFeatured).length);
    expect(
      events.flatMap((event) =>
        event.type === 'AccountRegistered' && event.data.passwordHash !== null ? event.data.email : [],
      ),
    ).toEqual(['admin@demo.alpenglow.example', 'client@demo.alpenglow.example', 'provider@demo.alpenglow.example']);
  });
  test('again changes nothing, even once ads were deleted and accounts closed', async () => {
    await seed();
    const commands = createCommandHandler(store);
    const origin = { actor: { kind: 'system', name: 'test' } as const, correlationId: 'test' };
    const [first] = ads;
    const owner = accountIdOf(first?.email ?? '');
    await commands.handle(
      listing,
      owner,
      ({ ad }) => [{ type: 'AdDeleted', data: { accountId: owner, adId: ad?.adId ?? '', reason: null } }],
      origin,
    );
    await commands.handle(
      account,
      accountIdOf('provider@demo.alpenglow.example'),
      (state) => closeAccount(null, state),
      origin,
    );
    const before = await store.head();
    await seed();
    expect(await store.head()).toBe(before);
  });
  test('cut off half-way adds only what is missing', async () => {
    const cutOff = new Error('cut off');
    await expect(
      seed((done) => {
        if (done === 400) throw cutOff;
      }),
    ).rejects.toBe(cutOff);
    await seed();
    const events = await everything();
    expect(countOf(events, 'AdPosted')).toBe(ads.length);
    expect(countOf(events, 'AdReviewed')).toBe(ads.flatMap(({ reviews }) => reviews).length);
    expect(countOf(events, 'AdFeatured')).toBe(ads.filter(({ isFeatured }) => isFeatured).length);
  });
});

describe('seeding made-up ads', () => {
  const generate = (count: number, signal?: AbortSignal) =>
    seedGenerated({ commands: createCommandHandler(store), accountIdOf }, count, { signal });

  test('puts up as many as asked for, each with a poster of its own', async () => {
    await generate(700);
    const events = await everything();
    const posted = events.filter((event) => event.type === 'AdPosted');
    expect(posted).toHaveLength(700);
    expect(new Set(posted.map(({ data }) => data.accountId)).size).toBe(700);
    expect(new Set(posted.map(({ data }) => `${data.state} ${data.city}`)).size).toBeGreaterThan(100);
    expect(new Set(posted.map(({ data }) => data.name)).size).toBeGreaterThan(600);
    expect(countOf(events, 'AccountRegistered')).toBe(700);
    expect(countOf(events, 'EmailVerified')).toBe(700);
  });
  test('again adds only what is missing', async () => {
    await generate(50);
    const before = await store.head();
    await generate(50);
    expect(await store.head()).toBe(before);
    await generate(60);
    expect(countOf(await everything(), 'AdPosted')).toBe(60);
  });
  test('stops when it is told to', async () => {
    await expect(generate(100_000, AbortSignal.abort())).rejects.toThrow('aborted');
    expect(countOf(await everything(), 'AdPosted')).toBe(0);
  });
});
