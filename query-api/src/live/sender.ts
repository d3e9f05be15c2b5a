import {
  LIVE_CLOSE_CODES,
  START_POSITION,
  type LiveRejected,
  type LiveSubscribed,
  type Position,
} from '@alpenglow/domain';
import type { Disconnect, LiveClient } from './client.ts';

/**
 * The maximum size of the data that waits to be sent to a client. A slower client is disconnected. It then connects
 * again and resumes with the parameter `since`.
 */
const MAX_BUFFERED_bytes = 1024 * 1024;
/**
 * The option that sends a buffer as a text message. A message is encoded once, and all clients receive the same buffer.
 */
const AS_TEXT = { binary: false } as const;

export type Sender = ReturnType<typeof createSender>;

/** Creates the functions that send to one client. They own the last position that each client has received. */
export function createSender(disconnect: Disconnect) {
  return {
    /** Sends an encoded message. Disconnects a client that is too slow. */
    send(client: LiveClient, message: Buffer, position = START_POSITION): void {
      const { socket } = client;
      if (socket.bufferedAmount > MAX_BUFFERED_bytes) {
        disconnect(client, LIVE_CLOSE_CODES.tooSlow, 'too slow');
        return;
      }
      if (position > client.knownUpTo) client.knownUpTo = position;
      socket.send(message, AS_TEXT);
    },
    /** Records a position that a client has received in another way than with a message. */
    recordKnown(client: LiveClient, position: Position): void {
      client.knownUpTo = position;
    },
    /** Sends a reply to a message of a client. */
    reply({ socket }: LiveClient, message: LiveSubscribed | LiveRejected): void {
      socket.send(JSON.stringify(message));
    },
  };
}
