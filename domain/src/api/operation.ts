import type * as z from 'zod/mini';
import type { ErrorCode } from '../errors.ts';

/** How the API document describes one call. The tables in `operations/` hold one of these for every route. */

export type Tag =
  | 'Accounts'
  | 'Ads'
  | 'Uploads'
  | 'Favorites'
  | 'Community'
  | 'Blog'
  | 'Search'
  | 'Reports'
  | 'Admin'
  | 'Moderation'
  | 'System';

/** Who may call: `optional` is open to everybody, but a token that is sent has to be one; `statement` takes a session, or in its place the token of a mail about a decision. */
export type Access = 'none' | 'optional' | 'bearer' | 'statement' | 'moderator' | 'admin';

export type RequestHeader = 'If-Match' | 'If-None-Match' | 'Idempotency-Key' | 'X-Wait-Position' | 'Range';
export type AnswerHeader =
  | 'ETag'
  | 'X-Position'
  | 'Location'
  | 'Content-Range'
  | 'Accept-Ranges'
  | 'Content-Length'
  | 'Idempotency-Replayed';

/** A part of a path or of a query string. */
export interface Parameter {
  readonly schema: z.ZodMiniType;
  readonly words: string;
  readonly example: string | number;
}

/** A body of JSON: the object the handler parses it with. `otherNames` may be sent instead of ours: theirs → ours. */
export interface JsonBody {
  readonly kind: 'json';
  readonly schema: z.ZodMiniType;
  readonly otherNames: Readonly<Record<string, string>>;
  readonly isRequired: boolean;
  readonly example: Readonly<Record<string, unknown>>;
}

/** A multipart body with files in one field. */
export interface FilesBody {
  readonly kind: 'files';
  readonly field: string;
  readonly maxFiles: number;
  readonly contentTypes: readonly string[];
}

/** What comes back: a JSON view, bytes or text of some types, either as it was asked for, or nothing (`schema` and `contentTypes` both empty). `schema` is that of JSON. */
export interface Answer {
  readonly words: string;
  readonly schema: z.ZodMiniType | null;
  readonly contentTypes: readonly string[];
  readonly headers: readonly AnswerHeader[];
}

export interface Operation {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Below `/api`, e.g. `/ads/{id}`. */
  readonly path: string;
  /** Unique; names the call in generated clients. */
  readonly id: string;
  readonly tag: Tag;
  readonly summary: string;
  /** What else is to be known; empty where the summary says it all. */
  readonly description: string;
  readonly access: Access;
  readonly pathParameters: Readonly<Record<string, Parameter>>;
  readonly query: Readonly<Record<string, Parameter>>;
  readonly headers: readonly RequestHeader[];
  readonly body: JsonBody | FilesBody | null;
  /** By status. */
  readonly answers: Readonly<Record<number, Answer>>;
  /** The refusals that are this call's own; `errorsOf` adds those that follow from the rest. */
  readonly errors: readonly ErrorCode[];
  /** Whether it is opened by an upgrade to a WebSocket rather than answered by a router. */
  readonly isWebSocket: boolean;
}

type Needed = Pick<Operation, 'method' | 'path' | 'id' | 'tag' | 'summary' | 'answers'>;

/** An operation; what is not said is none. */
export function operation(said: Needed & Partial<Operation>): Operation {
  return {
    description: '',
    access: 'none',
    pathParameters: {},
    query: {},
    headers: [],
    body: null,
    errors: [],
    isWebSocket: false,
    ...said,
  };
}

/** An answer of JSON. */
export function json(schema: z.ZodMiniType, words: string, headers: readonly AnswerHeader[] = []): Answer {
  return { words, schema, contentTypes: ['application/json'], headers };
}

/** An answer of other bytes. */
export function bytes(contentTypes: readonly string[], words: string, headers: readonly AnswerHeader[] = []): Answer {
  return { words, schema: null, contentTypes, headers };
}

/** An answer of headers alone. */
export function empty(words: string, headers: readonly AnswerHeader[] = []): Answer {
  return { words, schema: null, contentTypes: [], headers };
}

/** What a read answers whoever has it already. */
export const UNCHANGED: Answer = {
  words: 'Nothing has changed since `If-None-Match`.',
  schema: null,
  contentTypes: [],
  headers: ['ETag'],
};

/** The answers of a read of JSON that may be asked for again. */
export function readable(schema: z.ZodMiniType, words: string): Readonly<Record<number, Answer>> {
  return { 200: json(schema, words, ['ETag']), 304: UNCHANGED };
}

/** A JSON body that has to be there. */
export function body(
  schema: z.ZodMiniType,
  example: JsonBody['example'],
  otherNames: JsonBody['otherNames'] = {},
): JsonBody {
  return { kind: 'json', schema, otherNames, isRequired: true, example };
}

/** What a write tells: the position to wait for. */
export const POSITION: readonly AnswerHeader[] = ['X-Position'];
/** And the revision it made, where that may be asked for by `If-Match`. */
export const WRITTEN: readonly AnswerHeader[] = ['ETag', 'X-Position'];

/** Any call may end so. */
const OF_EVERY_CALL: readonly ErrorCode[] = ['INVALID_REQUEST', 'RATE_LIMITED', 'INTERNAL', 'UNAVAILABLE'];
const OF_ACCESS: Readonly<Record<Access, readonly ErrorCode[]>> = {
  none: [],
  optional: ['AUTHENTICATION_REQUIRED'],
  bearer: ['AUTHENTICATION_REQUIRED'],
  statement: ['AUTHENTICATION_REQUIRED'],
  moderator: ['AUTHENTICATION_REQUIRED', 'ONLY_MODERATORS', 'TWO_STEP_NOT_SET_UP'],
  admin: ['AUTHENTICATION_REQUIRED', 'ONLY_ADMINS', 'TWO_STEP_NOT_SET_UP'],
};
const OF_BODY: Readonly<Record<NonNullable<Operation['body']>['kind'], readonly ErrorCode[]>> = {
  json: ['INVALID_JSON', 'BODY_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE', 'INVALID_FIELDS'],
  files: ['UPLOAD_BROKEN_OFF', 'UPLOADS_BUSY'],
};
const OF_HEADER: Readonly<Partial<Record<RequestHeader, readonly ErrorCode[]>>> = {
  'If-Match': ['STALE'],
  // Its body is compared with that of the first request, so that it has to be one, whether the call wants a body or not.
  'Idempotency-Key': [
    'INVALID_IDEMPOTENCY_KEY',
    'IDEMPOTENCY_KEY_REUSED',
    'IDEMPOTENCY_IN_PROGRESS',
    'IDEMPOTENCY_ANSWER_GONE',
    'INVALID_JSON',
    'BODY_TOO_LARGE',
    'UNSUPPORTED_MEDIA_TYPE',
  ],
};

/** What is refused because it is no call at all: another path, or another method. */
export const OF_NO_CALL: readonly ErrorCode[] = ['NOT_FOUND', 'METHOD_NOT_ALLOWED'];

/** Every code a call may be refused with: its own, and those its access, body and headers bring along. */
export function errorsOf({ access, body: sent, headers, query, errors, answers }: Operation): readonly ErrorCode[] {
  const writes = Object.values(answers).some((answer) => answer.headers.includes('X-Position'));
  const codes: readonly ErrorCode[] = [
    ...OF_EVERY_CALL,
    ...OF_ACCESS[access],
    ...(sent ? OF_BODY[sent.kind] : []),
    ...(Object.keys(query).length > 0 ? (['INVALID_FIELDS'] as const) : []),
    ...headers.flatMap((header) => OF_HEADER[header] ?? []),
    ...(writes ? (['CONFLICT'] as const) : []),
    ...errors,
  ];
  return [...new Set(codes)];
}
