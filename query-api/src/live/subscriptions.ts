import { comparePositions, liveTopicKeyOf, type LiveSubscribe, type Position } from '@alpenglow/domain';
import type { Dependencies } from '../dependencies.ts';
import { closeAfterError, type LiveClient } from './client.ts';
import type { PublishedMessages } from './published-messages.ts';
import type { Recipients } from './recipients.ts';
import type { Replay } from './replay.ts';
import type { Sender } from './sender.ts';

interface SubscriptionsDependencies extends Dependencies<'positionTokens' | 'log'> {
  readonly published: Pick<PublishedMessages, 'hasChanged' | 'head' | 'sealHead'>;
  readonly recipients: Pick<Recipients, 'moveToTopics' | 'positionAhead'>;
  readonly sender: Pick<Sender, 'recordKnown' | 'reply'>;
  readonly replay: Replay;
}

export type Subscriptions = ReturnType<typeof createSubscriptions>;

/**
 * Owns the topics of each client, its state, and its subscription that waits. Invariants: a client that is `opening`
 * changes no topics, and the newest accepted subscription of a client applies.
 */
export function createSubscriptions(deps: SubscriptionsDependencies) {
  const { published, recipients, sender, replay, positionTokens, log } = deps;

  /** Sends missed messages, and then new ones. Returns false if the connection was closed. */
  async function start(client: LiveClient, positionAtOpen: Position): Promise<boolean> {
    await replay(client, positionAtOpen);
    client.state = 'open';
    return client.socket.readyState === client.socket.OPEN;
  }

  /**
   * Subscribes a client that has sent its first topics. It then resumes at the position of its connection. If the
   * topics are rejected, the client still waits for its first topics.
   */
  async function startWithTopics(client: LiveClient, request: LiveSubscribe): Promise<void> {
    client.pending = null;
    const keys = acceptTopics(client, request);
    if (keys === null) return;
    client.keys = new Set(keys);
    client.state = 'opening';
    if (!(await start(client, client.since))) return;
    // A newer subscription, which arrived meanwhile, replaces this one.
    if (client.pending) changeTopics(client, client.pending);
    else replySubscribed(client, request, keys);
  }

  /** Replaces the topics of a client. The topics that it already had continue without a gap. */
  function changeTopics(client: LiveClient, request: LiveSubscribe): void {
    client.pending = null;
    const keys = acceptTopics(client, request);
    if (keys === null) return;
    client.keys = new Set(keys);
    recipients.moveToTopics(client, client.keys);
    replySubscribed(client, request, keys);
  }

  /** Returns the keys of the topics, in their order. Returns null after a rejection. */
  function acceptTopics(client: LiveClient, { id, topics: wanted }: LiveSubscribe): readonly string[] | null {
    const keys = wanted.map((topic) => liveTopicKeyOf(topic, client.accountId));
    if (keys.every((key) => key !== null)) return keys;
    sender.reply(client, { type: 'rejected', id, reason: 'sign_in' });
    return null;
  }

  function replySubscribed(client: LiveClient, { id, since }: LiveSubscribe, keys: readonly string[]): void {
    const ahead = recipients.positionAhead(client);
    const isAhead = ahead !== undefined;
    const first = since == null ? undefined : positionTokens.openAll(since).toSorted(comparePositions)[0];
    // A client that is ahead receives all messages after its last one (`ahead`) when this process publishes them. This
    // process has not published the messages between `first` and `ahead`, so their topics are unknown.
    const isUnknown = first === undefined || (isAhead && comparePositions(first, ahead) < 0);
    const hasMissed = (key: string) => isUnknown || published.hasChanged(key, first);
    const missed = since == null ? [] : [...keys.keys()].filter((index) => hasMissed(keys[index] ?? ''));
    sender.reply(client, { type: 'subscribed', id, seq: isAhead ? null : published.sealHead(), missed });
    const head = published.head();
    if (!isAhead && head !== null) sender.recordKnown(client, head);
  }

  return {
    /** Starts a client that was checked. With `usesTopics`, it receives nothing until it sends its topics. */
    async begin(client: LiveClient, usesTopics: boolean, positionAtOpen: Position): Promise<void> {
      if (usesTopics) {
        client.state = 'waiting';
        if (client.pending) await startWithTopics(client, client.pending);
      } else if ((await start(client, positionAtOpen)) && client.pending) changeTopics(client, client.pending);
    },
    /** Handles a subscription. That of a client that is `opening` is handled later. */
    subscribe(client: LiveClient, request: LiveSubscribe): void {
      if (client.state === 'opening') client.pending = request;
      else if (client.state === 'open') changeTopics(client, request);
      else
        startWithTopics(client, request).catch((error: unknown) => {
          log.warn({ err: error }, 'live client could not resume');
          closeAfterError(client.socket);
        });
    },
  };
}
