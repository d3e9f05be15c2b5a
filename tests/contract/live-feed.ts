import type { EventStore, LiveFeed, Position } from '@alpenglow/domain';
import { LIVE_EVENT_TYPES } from '@alpenglow/domain';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { anEvent, uniqueName } from '../support/events.ts';
import { adIdOf } from '../support/live-ads.ts';
import { aBump, adsNamed, bump, follow, type Follower } from '../support/live-events.ts';

/**
 * What every live feed promises (`domain/src/ports/live-feed.ts`).
 *
 * Not promised, so not to be relied on:
 * - how much of the past a follower begins with;
 * - how messages are cut into batches, or that there is a batch for every event;
 * - that two followers begin at the same place.
 */
export interface LiveFeedFixture {
  /** What is written here is told. */
  readonly store: EventStore;
  readonly feed: LiveFeed;
  /** A feed of the same events with nothing shared in memory, as another process has it. Closed with the fixture. */
  openAnother(): Promise<LiveFeed>;
  close(): Promise<void>;
}

export function describeLiveFeed(name: string, open: () => Promise<LiveFeedFixture>): void {
  describe(`live feed: ${name}`, () => {
    let fixture: LiveFeedFixture;
    let store: EventStore;
    let feed: LiveFeed;

    beforeAll(async () => {
      fixture = await open();
      ({ store, feed } = fixture);
    });
    afterAll(() => fixture.close());

    /** The ads the store has readable events of, after a position. */
    async function writtenAfter(after: Position): Promise<string[]> {
      const ads: string[] = [];
      for (let position = after; ; ) {
        const page = await store.readAll({ after: position, types: LIVE_EVENT_TYPES });
        if (page.length === 0) return ads;
        ads.push(...page.map(({ data }) => (data as { adId?: string }).adId).filter((adId) => adId !== undefined));
        position = page.at(-1)?.position ?? position;
      }
    }

    /** Holds everything a follower was told against the store, from where it began. */
    async function expectToldAll(follower: Follower): Promise<void> {
      expect(follower.anew).toEqual([]);
      expect(follower.messages.map(adIdOf)).toEqual(await writtenAfter(await follower.begun));
    }

    it('says where it begins, then tells everything in position order, once', async () => {
      const follower = follow(feed);
      await follower.begun;
      const ads = adsNamed(uniqueName('ad'), 50);
      await follower.reached(await bump(store, ads));
      expect(follower.messages.slice(-ads.length).map(adIdOf)).toEqual(ads);
      expect(follower.messages.at(-1)).toEqual({
        seq: await store.head(),
        type: 'ad_bumped',
        adId: ads.at(-1),
        place: null,
        at: '2026-11-21T12:00:00.000Z',
      });
      await expectToldAll(follower);
      await follower.leave();
    });

    it('tells followers that came at different times the same, each from its own beginning', async () => {
      const followers: Follower[] = [];
      const feeds = [feed, await fixture.openAnother(), feed];
      for (const one of feeds) {
        const follower = follow(one);
        await follower.begun;
        followers.push(follower);
        await bump(store, adsNamed(uniqueName('ad'), 20));
      }
      const last = await bump(store, adsNamed(uniqueName('ad'), 20));
      for (const follower of followers) {
        await follower.reached(last);
        await expectToldAll(follower);
      }
      // One that leaves takes nothing from the others.
      await followers[0]?.leave();
      const after = await bump(store, adsNamed(uniqueName('ad'), 5));
      for (const follower of followers.slice(1)) {
        await follower.reached(after);
        await expectToldAll(follower);
        await follower.leave();
      }
    });

    it('keeps the order of all streams while many writers write', async () => {
      const follower = follow(feed);
      await follower.begun;
      const streams = Array.from({ length: 12 }, () => uniqueName('listing'));
      await Promise.all(
        streams.map(async (stream) => {
          for (let n = 0; n < 25; n += 1)
            await store.append(stream, [aBump(`${stream}-${n}`), aBump(`${stream}-${n}b`)], {
              expectedRevision: 'any',
            });
        }),
      );
      await follower.reached(await bump(store, [uniqueName('last')]));
      await expectToldAll(follower);
      for (const stream of streams) {
        const own = follower.messages.map(adIdOf).filter((adId) => adId.startsWith(stream));
        expect(own).toEqual(Array.from({ length: 25 }, (_, n) => [`${stream}-${n}`, `${stream}-${n}b`]).flat());
      }
      await follower.leave();
    });

    it('tells of nothing else, and passes over what cannot be read', async () => {
      const follower = follow(feed);
      await follower.begun;
      const [first, last] = adsNamed(uniqueName('ad'), 2) as [string, string];
      await bump(store, [first]);
      await store.append(uniqueName('other'), [anEvent({ type: 'SomethingElse' })], { expectedRevision: 'any' });
      await store.append(uniqueName('listing'), [anEvent({ type: 'AdBumped', data: { broken: true } })], {
        expectedRevision: 'any',
      });
      await follower.reached(await bump(store, [last]));
      expect(follower.messages.slice(-2).map(adIdOf)).toEqual([first, last]);
      await follower.leave();
    });

    it('loses nothing for a follower slower than the writers', async () => {
      const follower = follow(feed, { onBatch: () => pause(20) });
      await follower.begun;
      const ads = adsNamed(uniqueName('ad'), 3_000);
      const stream = uniqueName('listing');
      for (let n = 0; n < ads.length; n += 100)
        await store.append(stream, ads.slice(n, n + 100).map(aBump), { expectedRevision: 'any' });
      await follower.reached(await store.head());
      expect(follower.messages.slice(-ads.length).map(adIdOf)).toEqual(ads);
      await expectToldAll(follower);
      await follower.leave();
    });

    it('ends at once, without an error, when the follower leaves or the feed is closed', async () => {
      const own = await fixture.openAnother();
      const leaving = follow(own);
      await leaving.begun;
      await leaving.leave();
      const staying = follow(own);
      await staying.begun;
      await own.close();
      await staying.leave();
      // Before it has begun, too.
      const aborted = new AbortController();
      aborted.abort();
      for await (const batch of feed.follow({ signal: aborted.signal })) expect(batch).toBeUndefined();
    });

    it('can be left in the middle of a batch', async () => {
      for await (const batch of feed.follow({ signal: new AbortController().signal })) {
        expect(batch.through >= batch.after).toBe(true);
        break;
      }
    });
  });
}
