import type { Position } from '@alpenglow/domain';
import { closeToReload, closeToResume, RELOAD, type Disconnect, type LiveClient } from './client.ts';
import type { LogChecks } from './log-checks.ts';
import type { PageReads } from './page-reads.ts';
import { REPLAY_LIMIT, type PublishedMessages } from './published-messages.ts';
import type { Recipients } from './recipients.ts';

interface ReplayDependencies {
  readonly published: Pick<PublishedMessages, 'head' | 'inMemory' | 'memoryStart'>;
  readonly recipients: Pick<Recipients, 'listen' | 'sendEarlier'>;
  readonly pageReads: Pick<PageReads, 'read'>;
  readonly logChecks: Pick<LogChecks, 'isBeyondHead'>;
  readonly disconnect: Disconnect;
}

/**
 * Sends a client the messages that it has missed since its position, and then registers it for new messages.
 * `positionAtOpen` is the position at which its connection was opened. If this is not possible, closes the connection.
 */
export type Replay = (client: LiveClient, positionAtOpen: Position) => Promise<void>;

/** Creates the replay of missed messages. It owns no state. */
export function createReplay({ published, recipients, pageReads, logChecks, disconnect }: ReplayDependencies): Replay {
  /**
   * Sends the messages after the position `since`. Older messages are read from the event store, and newer messages
   * from memory. The client is registered for new messages right after the last of these messages. No other code runs
   * in between, so the client misses no message.
   */
  async function resume(client: LiveClient, since: Position): Promise<void> {
    const { socket, keys } = client;
    // A client without topics misses nothing, so no message is read for it.
    if (keys?.size === 0) {
      recipients.listen(client, published.head() ?? since);
      return;
    }
    let sent = since;
    let count = 0;
    while (sent < published.memoryStart()) {
      const until = published.memoryStart();
      const page = await pageReads.read(sent, until);
      // The client may have disconnected while the events were read.
      if (socket.readyState !== socket.OPEN) return;
      if (page === 'busy') {
        closeToResume(socket);
        return;
      }
      count += page?.count ?? 0;
      if (page === null || count >= REPLAY_LIMIT) {
        closeToReload(socket);
        return;
      }
      for (const entry of page.messages) recipients.sendEarlier(client, entry);
      sent = until;
    }
    for (const entry of published.inMemory()) if (entry.position > sent) recipients.sendEarlier(client, entry);
    recipients.listen(client, published.head() ?? sent);
  }

  return async (client, positionAtOpen) => {
    const { since } = client;
    if (since <= (published.head() ?? positionAtOpen)) await resume(client, since);
    else {
      // The client is ahead of this process. If its position is after the end of the event log, it must load its data
      // again, because it would receive no message.
      recipients.listen(client, since);
      if (await logChecks.isBeyondHead(since)) disconnect(client, ...RELOAD);
    }
  };
}
