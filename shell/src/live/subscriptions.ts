import { LIVE_TOPICS_MAX, type LiveSubscribe, type LiveTopic } from '@alpenglow/domain/contracts';
import type { LiveInterest } from '@alpenglow/ui';
import type { LiveReply, Mark } from './live-client.ts';

/** The minimum time between two subscriptions. The server disconnects clients that send many more. */
const MIN_INTERVAL_ms = 250;
/** A navigation removes and adds topics. They are sent together after this time. */
const GATHER_ms = 50;
const ALL: readonly LiveTopic[] = [{ kind: 'all' }];

export interface SubscriptionDependencies {
  /** Sends a message. It is lost if there is no connection. */
  readonly send: (message: LiveSubscribe) => void;
  /** Returns the current position of the live channel. */
  readonly position: () => Mark;
  /** Returns the position up to which the cached data of a query is current. Returns null without data. */
  readonly markOf: (queryKey: readonly unknown[]) => Mark | null;
  readonly setMark: (queryKey: readonly unknown[], mark: Mark) => void;
  /** Loads data again that may have changed while the page was not subscribed. Undefined stands for all data. */
  readonly refetch: (queryKey: readonly unknown[] | undefined) => void;
}

interface Entry {
  readonly interest: LiveInterest;
  /** True if the server sends the messages of this entry. */
  isCovered: boolean;
  /** The position up to which the data of the entry is current, if its query has no mark. */
  mark: Mark;
}

/**
 * Keeps the topics of the live channel equal to what the page displays. A hidden page has no topics. When topics are
 * added, the server compares them with the position of the displayed data. Data that has changed meanwhile is loaded
 * again, so the page misses no change.
 */
export class Subscriptions {
  readonly #dependencies: SubscriptionDependencies;
  readonly #entries = new Set<Entry>();
  #isHidden = false;
  #isConnected = false;
  #timer: ReturnType<typeof setTimeout> | null = null;
  #lastId = 0;
  #lastSent_ms = 0;
  /** The last message that was sent over this connection, and the entries for which it was sent. */
  #sent: { readonly topics: readonly string[]; readonly entries: ReadonlySet<Entry> } | null = null;
  /** True if the server has rejected the topic `own`, because it does not know the session. */
  #isSignedOut = false;
  /** True if the server has rejected a message. The page then subscribes to everything. */
  #wantsAll = false;

  constructor(dependencies: SubscriptionDependencies) {
    this.#dependencies = dependencies;
  }

  /** Adds what a component displays. Returns a function that removes it. */
  add(interest: LiveInterest): () => void {
    const entry: Entry = { interest, isCovered: false, mark: this.#dependencies.position() };
    this.#entries.add(entry);
    this.#sendSoon();
    return () => {
      if (!this.#entries.delete(entry)) return;
      this.#endCoverage(entry);
      this.#sendSoon();
    };
  }

  setHidden(isHidden: boolean): void {
    if (isHidden === this.#isHidden) return;
    this.#isHidden = isHidden;
    if (isHidden) for (const entry of this.#entries) this.#endCoverage(entry);
    this.#sendSoon();
  }

  /** Sends the topics over a new connection. */
  connected(): void {
    this.#isConnected = true;
    this.#isSignedOut = this.#wantsAll = false;
    this.#sent = null;
    this.#send();
  }

  disconnected(): void {
    this.#isConnected = false;
  }

  receive(reply: LiveReply): void {
    const sent = this.#sent;
    if (reply.id !== this.#lastId || !sent) return;
    if (reply.type === 'rejected') {
      if (reply.reason === 'sign_in' && !this.#isSignedOut) this.#isSignedOut = true;
      else if (this.#wantsAll) return;
      else this.#wantsAll = true;
      this.#sent = null;
      this.#sendSoon();
      return;
    }
    const missed = new Set(reply.missed.map((index) => sent.topics[index]));
    const refetched = new Map<string | undefined, readonly unknown[] | undefined>();
    for (const entry of sent.entries) {
      if (entry.isCovered || this.#isHidden || !this.#entries.has(entry)) continue;
      entry.isCovered = true;
      const { topics = ALL, queryKey } = entry.interest;
      const hasMissed = missed.has(JSON.stringify(ALL[0])) || topics.some((topic) => missed.has(JSON.stringify(topic)));
      if (hasMissed) refetched.set(queryKey && JSON.stringify(queryKey), queryKey);
    }
    for (const queryKey of refetched.values()) this.#dependencies.refetch(queryKey);
  }

  #endCoverage(entry: Entry): void {
    if (!entry.isCovered) return;
    entry.isCovered = false;
    entry.mark = this.#dependencies.position();
    if (entry.interest.queryKey) this.#dependencies.setMark(entry.interest.queryKey, entry.mark);
  }

  #sendSoon(): void {
    const left_ms = this.#lastSent_ms + MIN_INTERVAL_ms - performance.now();
    this.#timer ??= setTimeout(() => this.#send(), Math.max(GATHER_ms, left_ms));
  }

  #send(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    if (!this.#isConnected) return;
    const topics = this.#findTopics();
    const texts = topics.map((topic) => JSON.stringify(topic));
    const uncovered = this.#isHidden ? [] : [...this.#entries].filter(isUncovered);
    const isSent =
      this.#sent?.topics.length === texts.length &&
      this.#sent.topics.every((text, index) => text === texts[index]) &&
      uncovered.every((entry) => this.#sent?.entries.has(entry));
    if (isSent) return;
    this.#lastId += 1;
    this.#lastSent_ms = performance.now();
    this.#sent = { topics: texts, entries: new Set(uncovered) };
    this.#dependencies.send({ type: 'subscribe', id: this.#lastId, topics, since: this.#findSince(uncovered) });
  }

  /** Returns the topics of the page without duplicates, in the same order for the same topics. */
  #findTopics(): readonly LiveTopic[] {
    if (this.#isHidden) return [];
    const topics = new Map<string, LiveTopic>();
    for (const { interest } of this.#entries)
      for (const topic of interest.topics ?? ALL)
        if (topic.kind !== 'own' || !this.#isSignedOut) topics.set(JSON.stringify(topic), topic);
    if (this.#wantsAll || topics.size > LIVE_TOPICS_MAX) return ALL;
    return [...topics].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, topic]) => topic);
  }

  /** Returns the earliest position up to which the data of the entries is current. Returns null if it is unknown. */
  #findSince(entries: readonly Entry[]): string | null {
    const marks = entries
      .map(({ interest, mark }) => (interest.queryKey && this.#dependencies.markOf(interest.queryKey)) ?? mark)
      .filter(({ token }) => token !== null);
    return marks.toSorted((a, b) => a.order - b.order)[0]?.token ?? null;
  }
}

/** Returns true if the messages of an entry are not sent yet. An entry without topics needs none. */
function isUncovered({ isCovered, interest }: Entry): boolean {
  return !isCovered && interest.topics?.length !== 0;
}
