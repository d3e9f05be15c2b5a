import { isPosition, type LogMark, type Position } from '@alpenglow/domain';
import { decrypt, encrypt } from './cipher.ts';
import { deriveKeys } from './key-wrapping.ts';

/** Positions and ids are padded to these lengths, so that the length of a token reveals nothing. */
const POSITION_characters = 41;
const ID_characters = 36;
const CONTEXT = 'position';
/** Tokens of earlier builds have 92 characters. They contain only a position. */
const TOKEN = /^(?:[\w-]{140}|[\w-]{92})$/u;
/** The maximum number of tokens that one request may contain. */
const MAX_TOKENS = 4;

/**
 * Encrypts positions in the event log for clients (decision 0060). A position is the rank of an event among all events.
 * A visitor who can read or compare positions learns whether a request has stored an event, e.g. whether an e-mail
 * address has an account. A token may also contain the id of the event at the position, because another event
 * may be there after a failover or a restore (decision 0070).
 */
export type PositionTokens = ReturnType<typeof createPositionTokens>;

/**
 * Creates and reads tokens that contain an encrypted position. Each token of the same position is different. All
 * processes with the same secrets (hex, separated by commas) can read the tokens of each other. The first one creates
 * tokens.
 */
export function createPositionTokens(secrets: string) {
  const keys = deriveKeys(secrets, 'position');

  /** Returns the position and the id in a token, or null if the token is invalid. */
  function open(token: string): LogMark | null {
    if (!TOKEN.test(token)) return null;
    for (const key of keys) {
      try {
        const text = decrypt(key, CONTEXT, Buffer.from(token, 'base64url')).toString('latin1');
        const position = text.slice(0, POSITION_characters).trimEnd();
        const id = text.slice(POSITION_characters).trimEnd();
        return isPosition(position) ? { position, id: id === '' ? null : id } : null;
      } catch {
        // The token was created with another secret.
      }
    }
    return null;
  }

  /**
   * Returns the positions and ids in a text of one to four tokens, which are separated by commas. Returns an empty list
   * if one of the tokens is invalid. The id is null if the token contains none.
   */
  function openMarks(text: string): readonly LogMark[] {
    const marks = text.split(',', MAX_TOKENS + 1).map((token) => open(token.trim()));
    return marks.length <= MAX_TOKENS && marks.every((mark) => mark !== null) ? marks : [];
  }

  return {
    /** Returns a token of a position. `id` is the id of the event at this position, if it is known. */
    seal: (position: Position, id: string | null = null): string =>
      encrypt(keys[0], CONTEXT, position.padEnd(POSITION_characters) + (id ?? '').padEnd(ID_characters)).toString(
        'base64url',
      ),
    openMarks,
    /** Returns only the positions in a text of tokens, as `openMarks` does. */
    openAll: (text: string): readonly Position[] => openMarks(text).map(({ position }) => position),
  };
}
