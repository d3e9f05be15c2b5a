import type { EventStore, LiveFeed, Position } from '@alpenglow/domain';
import { LIVE_EVENT_TYPES } from '@alpenglow/domain';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { anEvent, uniqueName } from '../support/events.ts';
import { adIdOf } from '../support/live-ads.ts';
import { aBump, adsNamed, bump, follow, type FeedFollower } from '../support/live-events.ts';

/**
 * An open live feed under test. `domain/src/ports/live-feed.ts` describes the guarantees of a feed.
 *
 * Feeds may behave in the following ways, so callers must expect them:
 * - A follower may first receive any number of past messages.
 * - Messages may be split into batches in any way. Not every event has a batch.
 * - Two followers may start at different positions.
 */
export interface LiveFeedFixture {
  /** The event store whose events the feed delivers. */
  readonly store: EventStore;
  readonly feed: LiveFeed;
  /**
   * Opens a second feed of the same events. It shares no memory with `feed`, like a feed in another process.
   * `close` also closes the second feed.
   */
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

    /** Returns the ad ids in all readable events after a position in the event log. */
    async function adsWrittenAfter(after: Position): Promise<string[]> {
      const ads: string[] = [];
      for (let position = after; ; ) {
        const page = await store.readAll({ after: position, types: LIVE_EVENT_TYPES });
        if (page.length === 0) return ads;
        ads.push(...page.map(({ data }) => (data as { adId?: string }).adId).filter((adId) => adId !== undefined));
        position = page.at(-1)?.position ?? position;
      }
    }

    /** Expects that a follower has received all messages since its start position, and no other messages. */
    async function expectAllDelivered(follower: FeedFollower): Promise<void> {
      expect(follower.gapPositions).toEqual([]);
      expect(follower.messages.map(adIdOf)).toEqual(await adsWrittenAfter(await follower.startPosition));
    }

    it('reports its start position and then delivers every message once, in position order', async () => {
      const follower = follow(feed);
      await follower.startPosition;
      const ads = adsNamed(uniqueName('ad'), 50);
      await follower.waitForPosition(await bump(store, ads));
      expect(follower.messages.slice(-ads.length).map(adIdOf)).toEqual(ads);
      expect(follower.messages.at(-1)).toEqual({
        seq: await store.readHead(),
        type: 'ad_bumped',
        adId: ads.at(-1),
        place: null,
        isRestored: false,
        at: '2026-11-21T12:00:00.000Z',
        eventId: await store.findEventId(await store.readHead(), null),
      });
      await expectAllDelivered(follower);
      await follower.stop();
    });

    it('delivers the same messages to followers that started at different times', async () => {
      const followers: FeedFollower[] = [];
      const feeds = [feed, await fixture.openAnother(), feed];
      for (const source of feeds) {
        const follower = follow(source);
        await follower.startPosition;
        followers.push(follower);
        await bump(store, adsNamed(uniqueName('ad'), 20));
      }
      const last = await bump(store, adsNamed(uniqueName('ad'), 20));
      for (const follower of followers) {
        await follower.waitForPosition(last);
        await expectAllDelivered(follower);
      }
      // One follower stops. All other followers must still receive all messages.
      await followers[0]?.stop();
      const after = await bump(store, adsNamed(uniqueName('ad'), 5));
      for (const follower of followers.slice(1)) {
        await follower.waitForPosition(after);
        await expectAllDelivered(follower);
        await follower.stop();
      }
    });

    it('keeps the order of each stream while several writers write', async () => {
      const follower = follow(feed);
      await follower.startPosition;
      const streams = Array.from({ length: 12 }, () => uniqueName('listing'));
      await Promise.all(
        streams.map(async (stream) => {
          for (let n = 0; n < 25; n += 1)
            await store.append(stream, [aBump(`${stream}-${n}`), aBump(`${stream}-${n}b`)], {
              expectedRevision: 'any',
            });
        }),
      );
      await follower.waitForPosition(await bump(store, [uniqueName('last')]));
      await expectAllDelivered(follower);
      for (const stream of streams) {
        const ownAds = follower.messages.map(adIdOf).filter((adId) => adId.startsWith(stream));
        expect(ownAds).toEqual(Array.from({ length: 25 }, (_, n) => [`${stream}-${n}`, `${stream}-${n}b`]).flat());
      }
      await follower.stop();
    });

    it('ignores other event types and skips unreadable events', async () => {
      const follower = follow(feed);
      await follower.startPosition;
      const [first, last] = adsNamed(uniqueName('ad'), 2) as [string, string];
      await bump(store, [first]);
      await store.append(uniqueName('other'), [anEvent({ type: 'ConsentRecorded' })], { expectedRevision: 'any' });
      await store.append(uniqueName('listing'), [anEvent({ type: 'AdBumped', data: { broken: true } })], {
        expectedRevision: 'any',
      });
      await follower.waitForPosition(await bump(store, [last]));
      expect(follower.messages.slice(-2).map(adIdOf)).toEqual([first, last]);
      await follower.stop();
    });

    it('delivers all messages to a follower that is slower than the writers', async () => {
      const follower = follow(feed, { onBatch: () => pause(20) });
      await follower.startPosition;
      const ads = adsNamed(uniqueName('ad'), 3_000);
      const stream = uniqueName('listing');
      for (let n = 0; n < ads.length; n += 100)
        await store.append(stream, ads.slice(n, n + 100).map(aBump), { expectedRevision: 'any' });
      await follower.waitForPosition(await store.readHead());
      expect(follower.messages.slice(-ads.length).map(adIdOf)).toEqual(ads);
      await expectAllDelivered(follower);
      await follower.stop();
    });

    it('ends without an error when the follower leaves or the feed is closed', async () => {
      const otherFeed = await fixture.openAnother();
      const leaving = follow(otherFeed);
      await leaving.startPosition;
      await leaving.stop();
      const staying = follow(otherFeed);
      await staying.startPosition;
      await otherFeed.close();
      await staying.stop();
      // If a follower is aborted before its start, it receives no batch.
      const aborted = new AbortController();
      aborted.abort();
      for await (const batch of feed.follow({ signal: aborted.signal })) expect(batch).toBeUndefined();
    });

    it('ends when the follower stops iterating', async () => {
      for await (const batch of feed.follow({ signal: new AbortController().signal })) {
        expect(batch.through >= batch.after).toBe(true);
        break;
      }
    });
  });
}
