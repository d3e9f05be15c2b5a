import { parseLiveSubscribe } from '@alpenglow/domain';
import { MESSAGE_BURST, type Disconnect, type LiveClient } from './client.ts';
import type { Sender } from './sender.ts';
import type { Subscriptions } from './subscriptions.ts';

/** A client may send this many messages a second after its first ones. */
const MESSAGES_PER_s = 5;
/** The close code for a client that sends too many messages. */
const POLICY_VIOLATION = 1008;

interface ReceiverDependencies {
  readonly subscriptions: Pick<Subscriptions, 'subscribe'>;
  readonly sender: Pick<Sender, 'reply'>;
  readonly disconnect: Disconnect;
}

/**
 * Creates the function that handles a message of a client. It owns the number of messages that each client may send,
 * and disconnects a client that sends more.
 */
export function createReceiver({ subscriptions, sender, disconnect }: ReceiverDependencies) {
  return (client: LiveClient, text: string): void => {
    if (client.socket.readyState !== client.socket.OPEN) return;
    const now_ms = performance.now();
    const regained = ((now_ms - client.allowanceAt_ms) / 1_000) * MESSAGES_PER_s;
    client.allowance = Math.min(MESSAGE_BURST, client.allowance + regained) - 1;
    client.allowanceAt_ms = now_ms;
    if (client.allowance < 0) {
      disconnect(client, POLICY_VIOLATION, 'too many messages');
      return;
    }
    const { message, id } = parseLiveSubscribe(text);
    if (message) subscriptions.subscribe(client, message);
    else sender.reply(client, { type: 'rejected', id, reason: 'invalid' });
  };
}
