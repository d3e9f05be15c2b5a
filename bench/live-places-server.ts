/** Serves only the live channel in a separate process, so that its processor time can be measured. */
import type { FeedMessage, LiveSubject, Position } from '@alpenglow/domain';
import { bump } from '../tests/support/live-events.ts';
import { createManualFeed, serveLiveChannel } from '../tests/support/live-channel.ts';
import { createMemoryEventStore } from '../tests/support/memory-event-store.ts';

export type LiveServerCommand =
  /** Publishes messages about the ads of the places, one place after the other. */
  | { readonly do: 'publish'; readonly messages: number }
  /** Returns the processor time of the process in milliseconds. */
  | { readonly do: 'cpu' };

const [places = 1, stored = 0] = process.argv.slice(2).map(Number);
/** The messages that one read of a feed usually delivers under load. */
const BATCH = 10;

const adOf = (place: number) => `ad-${place}`;
const subjects = new Map<string, LiveSubject>(
  Array.from({ length: places }, (_, n) => [
    adOf(n),
    { accountId: `account-${n}`, places: [{ state: 'NV', city: `City ${n}`, category: 'escort' }] },
  ]),
);
const store = createMemoryEventStore();
await bump(
  store,
  Array.from({ length: stored }, (_, n) => adOf(n % places)),
);
let position = await store.readHead();
const feed = createManualFeed();
const { url } = await serveLiveChannel({ feed, store, subjectOf: (id) => subjects.get(id) ?? null });
feed.give({ after: position, messages: [], through: position });

/** Returns the next position, in the format of the memory event store. */
const after = (previous: Position): Position =>
  String(Number(previous) + 1).padStart(Math.max(previous.length, 19), '0') as Position;

function publish(count: number): void {
  for (let n = 0; n < count; n += BATCH) {
    const start = position;
    const messages = Array.from({ length: Math.min(BATCH, count - n) }, (_, index): FeedMessage => {
      position = after(position);
      return {
        seq: position,
        type: 'ad_bumped',
        adId: adOf((n + index) % places),
        place: null,
        isRestored: false,
        at: new Date().toISOString(),
        eventId: crypto.randomUUID(),
      };
    });
    feed.give({ after: start, messages, through: position });
  }
}

process.on('message', (command: LiveServerCommand) => {
  if (command.do === 'publish') publish(command.messages);
  const { user, system } = process.cpuUsage();
  process.send?.({ cpu_ms: (user + system) / 1_000 });
});
process.once('disconnect', () => process.exit(0));
process.send?.(Number(new URL(url).port));
