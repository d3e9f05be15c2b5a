import { account, closeAccount, definitionOf, listing, START, toDomainEvent, type DomainEvent, type EventStore } from '@alpenglow/domain';
import { createCommandHandler, createMemoryEventStore } from '@alpenglow/infra';
import { beforeEach, describe, expect, test } from 'vitest';
import { demoAds } from '../embedded/seed/demo-ads.ts';
import { seedDemo } from '../embedded/seed/seed.ts';

const accountIdOf = (email: string) => email.replaceAll(/\W/gu, '-');
const ads = demoAds();

let store: EventStore;
beforeEach(() => {
  store = createMemoryEventStore();
});
const seed = (onProgress?: (done: number) => void) => seedDemo({ commands: createCommandHandler(store), accountIdOf, ...(onProgress && { onProgress }) });

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
const countOf = (events: readonly DomainEvent[], type: DomainEvent['type']) => events.filter((event) => event.type === type).length;

describe('seeding the demo', () => {
  test('posts every demo ad with its reviews, features a dozen, and opens the accounts one can sign in with', async () => {
    await seed();
    const events = await everything();
    expect(countOf(events, 'AdPosted')).toBe(ads.length);
    expect(countOf(events, 'AdReviewed')).toBe(ads.flatMap(({ reviews }) => reviews).length);
    expect(countOf(events, 'AdFeatured')).toBe(ads.filter(({ isFeatured }) => isFeatured).length);
    expect(events.flatMap((event) => (event.type === 'AccountRegistered' && event.data.passwordHash !== null ? event.data.email : []))).toEqual([
      'admin@demo.alpenglow.example',
      'client@demo.alpenglow.example',
      'provider@demo.alpenglow.example',
    ]);
  });
  test('again changes nothing, even once ads were deleted and accounts closed', async () => {
    await seed();
    const commands = createCommandHandler(store);
    const origin = { actor: { kind: 'system', name: 'test' } as const, correlationId: 'test' };
    const [first] = ads;
    const owner = accountIdOf(first?.email ?? '');
    await commands.handle(listing, owner, ({ ad }) => [{ type: 'AdDeleted', data: { accountId: owner, adId: ad?.adId ?? '' } }], origin);
    await commands.handle(account, accountIdOf('provider@demo.alpenglow.example'), closeAccount, origin);
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
