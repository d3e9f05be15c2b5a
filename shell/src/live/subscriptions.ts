import { LIVE_TOPICS_MAX, type LiveSubscribe, type LiveTopic } from '@alpenglow/domain/contracts';
import type { LiveInterest } from '@alpenglow/ui';
import type { LiveReply, Mark } from './live-client.ts';

/** The minimum time between two subscriptions. The server disconnects clients that send many more. */
const MIN_INTERVAL_ms = 250;
/** A navigation removes and adds topics. They are sent together after this time. */
const GATHER_ms = 50;
/** A server of an earlier build ends the connection after a message with more bytes. */
const EARLIER_SERVER_MAX_bytes = 1_000;
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

interface Sent {
  readonly topics: readonly string[];
  /** The entries whose messages the server sends after its reply. */
  readonly entries: ReadonlySet<Entry>;
  /** The entries whose data is loaded again after the reply, because its position is unknown. */
  readonly unknown: ReadonlySet<Entry>;
}

/**
 * Subscribes to the topics of the content that the page displays. A hidden page subscribes only to topics without a
 * query, because their data cannot be loaded again. With new topics, the page sends the earliest position of their
 * data. The server names the topics that have changed since then. Their data is loaded again, so the page misses no
 * change.
 */
export class Subscriptions {
  readonly #dependencies: SubscriptionDependencies;
  readonly #entries = new Set<Entry>();
  #isHidden = false;
  #isConnected = false;
  #timer: ReturnType<typeof setTimeout> | null = null;
  #lastId = 0;
  #lastSent_ms = 0;
  /** True if the server has replied over this connection, so it is not of an earlier build. */
  #hasReplied = false;
  /** The last message that was sent over this connection. */
  #sent: Sent | null = null;
  /** The last entries of queries that were covered until now, by the keys of the queries. */
  readonly #ended = new Map<string, Entry>();
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
    // If the topics of a query change, the position of the earlier topics does not hold for the new ones.
    const ended = this.#ended.get(keyOf(entry));
    if (JSON.stringify(ended?.interest) !== JSON.stringify(interest)) this.#ended.delete(keyOf(entry));
    this.#sendSoon();
    return () => {
      if (!this.#entries.delete(entry)) return;
      this.#endCoverage([entry]);
      this.#sendSoon();
    };
  }

  setHidden(isHidden: boolean): void {
    if (isHidden === this.#isHidden) return;
    this.#isHidden = isHidden;
    if (isHidden) {
      this.#endCoverage([...this.#entries].filter((entry) => !staysWhileHidden(entry)));
      // If the page is shown again before a message is sent, its topics are the same, but they must be sent again.
      this.#sent = null;
    }
    this.#sendSoon();
  }

  /** Sends the topics over a new connection. */
  connected(): void {
    this.#isConnected = true;
    this.#isSignedOut = this.#wantsAll = this.#hasReplied = false;
    this.#sent = null;
    this.#send();
  }

  disconnected(): void {
    this.#isConnected = false;
  }

  receive(reply: LiveReply): void {
    this.#hasReplied = true;
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
      if (entry.isCovered || !this.#isWanted(entry) || !this.#entries.has(entry)) continue;
      entry.isCovered = true;
      const { topics = ALL, queryKey } = entry.interest;
      const hasMissed =
        sent.unknown.has(entry) ||
        missed.has(JSON.stringify(ALL[0])) ||
        topics.some((topic) => missed.has(JSON.stringify(topic)));
      if (hasMissed) refetched.set(queryKey && JSON.stringify(queryKey), queryKey);
    }
    for (const queryKey of refetched.values()) this.#dependencies.refetch(queryKey);
    // The first message may have been limited for a server of an earlier build.
    this.#sendSoon();
  }

  #endCoverage(entries: readonly Entry[]): void {
    // The position of one entry does not hold for another entry of the same query that was not covered.
    const uncoveredKeys = new Set([...this.#entries].filter(isUncovered).map(keyOf));
    const mark = this.#dependencies.position();
    for (const entry of entries) {
      if (!entry.isCovered) continue;
      entry.isCovered = false;
      entry.mark = mark;
      if (!uncoveredKeys.has(keyOf(entry))) this.#ended.set(keyOf(entry), entry);
    }
  }

  /** Sets the marks of the queries that were covered until now. */
  #setMarks(): void {
    for (const { interest, mark } of this.#ended.values())
      if (interest.queryKey) this.#dependencies.setMark(interest.queryKey, mark);
    this.#ended.clear();
  }

  #isWanted(entry: Entry): boolean {
    return !this.#isHidden || staysWhileHidden(entry);
  }

  #sendSoon(): void {
    const left_ms = this.#lastSent_ms + MIN_INTERVAL_ms - performance.now();
    this.#timer ??= setTimeout(() => this.#send(), Math.max(GATHER_ms, left_ms));
  }

  #send(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#setMarks();
    if (!this.#isConnected) return;
    let topics = this.#findTopics();
    let uncovered = [...this.#entries].filter((entry) => isUncovered(entry) && this.#isWanted(entry));
    let since = this.#findSince(uncovered);
    if (!this.#hasReplied && isTooLong({ type: 'subscribe', id: this.#lastId + 1, topics, since }))
      [topics, uncovered, since] = [ALL, [], null];
    const texts = topics.map((topic) => JSON.stringify(topic));
    const isSent =
      this.#sent?.topics.length === texts.length &&
      this.#sent.topics.every((text, index) => text === texts[index]) &&
      uncovered.every((entry) => this.#sent?.entries.has(entry));
    if (isSent) return;
    this.#lastId += 1;
    this.#lastSent_ms = performance.now();
    const isPositionKnown = this.#dependencies.position().token !== null;
    const unknown = isPositionKnown ? uncovered.filter((entry) => this.#hasUnknownMark(entry)) : [];
    this.#sent = { topics: texts, entries: new Set(uncovered), unknown: new Set(unknown) };
    this.#dependencies.send({ type: 'subscribe', id: this.#lastId, topics, since });
  }

  /** Returns the topics of the page without duplicates, in the same order for the same topics. */
  #findTopics(): readonly LiveTopic[] {
    const topics = new Map<string, LiveTopic>();
    for (const { interest } of [...this.#entries].filter((entry) => this.#isWanted(entry)))
      for (const topic of interest.topics ?? ALL)
        if (topic.kind !== 'own' || !this.#isSignedOut) topics.set(JSON.stringify(topic), topic);
    if (topics.size === 0) return [];
    if (this.#wantsAll || topics.size > LIVE_TOPICS_MAX) return ALL;
    return [...topics].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, topic]) => topic);
  }

  /** Returns true if it is unknown up to which position the data of the query is current. */
  #hasUnknownMark({ interest }: Entry): boolean {
    return interest.queryKey !== undefined && this.#dependencies.markOf(interest.queryKey)?.token === null;
  }

  /** Returns the earliest position up to which the data of the entries is current. Returns null if it is unknown. */
  #findSince(entries: readonly Entry[]): string | null {
    const marks = entries
      .map(({ interest, mark }) => (interest.queryKey && this.#dependencies.markOf(interest.queryKey)) ?? mark)
      .filter(({ token }) => token !== null);
    return marks.sort((a, b) => a.order - b.order)[0]?.token ?? null;
  }
}

const keyOf = ({ interest }: Entry): string => JSON.stringify(interest.queryKey ?? null);
const isTooLong = (message: LiveSubscribe): boolean =>
  new TextEncoder().encode(JSON.stringify(message)).length > EARLIER_SERVER_MAX_bytes;

/** Returns true if an entry has topics but no query. A hidden page also receives its messages. */
const staysWhileHidden = ({ interest }: Entry): boolean =>
  interest.queryKey === undefined && interest.topics !== undefined && interest.topics.length > 0;

/** Returns true if the messages of an entry are not sent yet. An entry without topics needs none. */
function isUncovered({ isCovered, interest }: Entry): boolean {
  return !isCovered && interest.topics?.length !== 0;
}
