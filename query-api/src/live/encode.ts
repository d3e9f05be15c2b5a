import type { FeedMessage, Position } from '@alpenglow/domain';
import type { PositionTokens } from '@alpenglow/infra';
import type { LiveKeys } from './live-subjects.ts';

/** A message that is encoded once for all clients. */
export interface EncodedMessage {
  readonly position: Position;
  readonly id: string | null;
  readonly message: Buffer;
  readonly keys: LiveKeys;
}

/** Encodes a message for clients. They receive its position only as an encrypted token. */
export function encode(
  { eventId, traceparent: _, ...message }: FeedMessage,
  keys: LiveKeys,
  positionTokens: Pick<PositionTokens, 'seal'>,
): EncodedMessage {
  const position = message.seq as Position;
  const seq = positionTokens.seal(position, eventId);
  return { position, id: eventId ?? null, message: Buffer.from(JSON.stringify({ ...message, seq })), keys };
}
