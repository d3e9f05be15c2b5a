import type { LivePosition, Position } from '@alpenglow/domain';
import { isConcerned, type LiveClient } from './client.ts';
import type { EncodedMessage } from './encode.ts';
import type { PublishedMessages } from './published-messages.ts';
import type { Sender } from './sender.ts';
import { createTopicIndex } from './topic-index.ts';

interface RecipientsOptions {
  readonly published: Pick<PublishedMessages, 'head' | 'sealHead'>;
  readonly sender: Pick<Sender, 'send'>;
}

export type Recipients = ReturnType<typeof createRecipients>;

/**
 * Owns which clients receive new messages, and sends these messages. Invariants: a client is in at most one of the
 * three groups, and a client in `listening` or `topics` has received all published messages that concern it.
 */
export function createRecipients({ published, sender: { send } }: RecipientsOptions) {
  /** Clients of all messages. */
  const listening = new Set<LiveClient>();
  /** Clients with topics. */
  const topics = createTopicIndex<LiveClient>();
  /**
   * Clients that have already received newer messages from another process. The value is the position of the last
   * message that the client has received.
   */
  const aheadClients = new Map<LiveClient, Position>();

  /** Sends an earlier message to a client if it concerns the client. */
  function sendEarlier(client: LiveClient, { position, message, keys }: EncodedMessage): void {
    if (isConcerned(client, keys)) send(client, message, position);
  }

  /** Adds a client that has received all messages up to a position. It then receives the later ones. */
  function listen(client: LiveClient, received: Position): void {
    if (client.socket.readyState !== client.socket.OPEN) return;
    const head = published.head();
    if (head !== null && received > head) aheadClients.set(client, received);
    else if (client.keys === null) listening.add(client);
    else topics.set(client, client.keys);
  }

  return {
    listen,
    sendEarlier,
    /** Sends a new message to the clients that it concerns. Returns the number of these clients. */
    publish(entry: EncodedMessage): number {
      const { position, message, keys } = entry;
      for (const client of listening) send(client, message);
      const concerned = topics.find(keys);
      for (const client of concerned) send(client, message, position);
      for (const [client, received] of aheadClients) {
        if (position < received) continue;
        aheadClients.delete(client);
        listen(client, position);
        if (position > received) sendEarlier(client, entry);
      }
      return listening.size + concerned.size;
    },
    /** Moves a client to its topics in `keys`. A client that is ahead of this process is moved later, by `listen`. */
    moveToTopics(client: LiveClient, keys: ReadonlySet<string>): void {
      if (listening.delete(client) || !aheadClients.has(client)) topics.set(client, keys);
    },
    /** Returns the last position of a client that is ahead of this process. Undefined for other clients. */
    positionAhead: (client: LiveClient): Position | undefined => aheadClients.get(client),
    /**
     * Sends the current position to clients with topics. A client whose topics are quiet can then resume without
     * reading many messages that do not concern it. A hidden tab has no topics and receives nothing.
     */
    sendPosition(): void {
      const head = published.head();
      if (head === null) return;
      let message: Buffer | null = null;
      for (const client of topics.clients()) {
        if (client.keys?.size === 0 || client.knownUpTo >= head) continue;
        message ??= Buffer.from(JSON.stringify({ type: 'position', seq: published.sealHead() } satisfies LivePosition));
        send(client, message, head);
      }
    },
    list: (): readonly LiveClient[] => [...listening, ...topics.clients(), ...aheadClients.keys()],
    remove(client: LiveClient): void {
      listening.delete(client);
      topics.remove(client);
      aheadClients.delete(client);
    },
    clear(): void {
      listening.clear();
      topics.clear();
      aheadClients.clear();
    },
  };
}
