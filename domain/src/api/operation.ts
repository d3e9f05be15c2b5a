import * as z from 'zod/mini';
import type { DeepReadonly, View } from '../contracts/view.ts';
import type { ErrorCode } from '../error-catalogue.ts';
import { registerResponse } from './component.ts';
import type { DescribedParameter, OperationResponse, ResponseHeader } from './operation-types.ts';

export type { OperationResponse, ResponseHeader } from './operation-types.ts';

/**
 * Types and functions for the declarations of API operations. The servers, the gateway and the API document use these
 * declarations. Each operation is declared once, in `operations/`.
 */

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

/**
 * The accounts that may send a request. `optional` requires no account, but rejects an invalid token. `statement`
 * requires a session, or the token from the mail about a moderation decision.
 */
export type Access = 'none' | 'optional' | 'bearer' | 'statement' | 'moderator' | 'admin';

export type RequestHeader =
  | 'If-Match'
  | 'If-None-Match'
  | 'Idempotency-Key'
  | 'X-Wait-Position'
  | 'X-Removal-Token'
  | 'Range'
  | 'Tus-Resumable'
  | 'Upload-Length'
  | 'Upload-Offset';
/**
 * The names of the rate limits that an operation can have. The HTTP layer defines the number of allowed requests for
 * each name.
 */
export type RateLimitClass =
  | 'login'
  | 'sign-up'
  | 'sign-up-mails'
  | 'codes'
  | 'code-guesses'
  | 'code-mails'
  | 'erasure'
  | 'receipts'
  | 'password-change'
  | 'two-step'
  | 'identity'
  | 'sync'
  | 'sync-status'
  | 'ad-details'
  | 'ad-views'
  | 'contact-details'
  | 'contact-details-of-account'
  | 'videos'
  | 'videos-of-network'
  | 'uploads'
  | 'uploads-of-network'
  | 'reviews'
  | 'posts'
  | 'edits'
  | 'marks'
  | 'previews'
  | 'exports'
  | 'consents'
  | 'front-end-reports'
  | 'reports'
  | 'reports-of-day';

/**
 * A JSON request body, which is parsed with `schema`. `aliases` maps other accepted property names to the property
 * names of the schema.
 */
export interface JsonBody<Schema extends z.ZodMiniType = z.ZodMiniType> {
  readonly kind: 'json';
  readonly schema: Schema;
  readonly aliases: Readonly<Record<string, string>>;
  readonly isRequired: boolean;
  readonly max_bytes: number;
  readonly example: Readonly<Record<string, unknown>>;
}

/** Default maximum size of a JSON request body. */
export const JSON_BODY_MAX_bytes = 64 * 1024;

/** A multipart request body with files in one form field. */
export interface FilesBody {
  readonly kind: 'files';
  readonly field: string;
  readonly maxFiles: number;
  readonly contentTypes: readonly string[];
}

/** A request body that consists of bytes of one file. */
export interface BytesBody {
  readonly kind: 'bytes';
  readonly contentType: string;
}

/** A path or query parameter. */
export interface Parameter extends DescribedParameter {
  /**
   * The error of a path parameter that does not match the schema. A path parameter without a code is any text, which
   * its handler looks up.
   */
  readonly errorCode?: ErrorCode;
}

/** The parameters of an operation by name. */
export type ParametersByName = Readonly<Record<string, Parameter>>;

export interface Operation {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path below `/api`, e.g. `/ads/{id}`. */
  readonly path: string;
  /**
   * A unique id. A server registers the handler of an operation with this id. Generated clients use the id as the
   * method name.
   */
  readonly id: string;
  readonly tag: Tag;
  readonly summary: string;
  /** Details in addition to the summary. Empty if there are none. */
  readonly description: string;
  readonly access: Access;
  readonly pathParameters: ParametersByName;
  readonly queryParameters: ParametersByName;
  /**
   * The accepted request headers. A write that accepts `Idempotency-Key` is executed only once per key. The following
   * writes do not accept this header: writes without an account, writes that change nothing, writes with files, and
   * writes whose response contains a token.
   */
  readonly headers: readonly RequestHeader[];
  readonly body: JsonBody | FilesBody | BytesBody | null;
  /** The responses of the operation, by HTTP status. */
  readonly responses: Readonly<Record<number, OperationResponse>>;
  /**
   * The errors that are specific to this operation. `getErrorCodes` adds the errors that follow from other properties,
   * e.g. from the required access.
   */
  readonly errors: readonly ErrorCode[];
  /**
   * The property `message` of the response if the server fails (500, 503). The placeholder `{message}` in this text is
   * replaced by the general error message, which the property `error` also contains. If the value is null, `message` is
   * the general error message.
   */
  readonly failureMessage: string | null;
  /**
   * The service that handles the request. By default, the query service handles reads and the command service
   * handles writes.
   */
  readonly service: 'command' | 'query';
  /** The rate limits of this operation. The limits for all writes and for all requests of staff apply in addition. */
  readonly rateLimits: readonly RateLimitClass[];
  /** True if the request opens a WebSocket. The operation then has no HTTP handler in a router. */
  readonly isWebSocket: boolean;
}

type RequiredOptions = Pick<Operation, 'tag' | 'summary' | 'responses'>;
type OptionalOptions = Partial<Omit<Operation, 'id' | 'method' | 'path'>>;

type NoParameters = Readonly<Record<never, Parameter>>;

/** An operation with the exact types of its declaration, so that the compiler can check its handler. */
export interface DeclaredOperation<
  Id extends string,
  Method extends Operation['method'],
  Path extends string,
  Responses extends Operation['responses'],
  Body extends Operation['body'],
  PathParameters extends ParametersByName,
  QueryParameters extends ParametersByName,
> extends Operation {
  readonly id: Id;
  readonly method: Method;
  readonly path: Path;
  readonly responses: Responses;
  readonly body: Body;
  readonly pathParameters: PathParameters;
  readonly queryParameters: QueryParameters;
}

/** Declares an operation. */
export function defineOperation<
  const Id extends string,
  const Method extends Operation['method'],
  const Path extends string,
  Responses extends Operation['responses'],
  Body extends Operation['body'] = null,
  PathParameters extends ParametersByName = NoParameters,
  QueryParameters extends ParametersByName = NoParameters,
>(
  id: Id,
  method: Method,
  path: Path,
  options: RequiredOptions &
    OptionalOptions & {
      readonly responses: Responses;
      readonly body?: Body;
      readonly pathParameters?: PathParameters;
      readonly queryParameters?: QueryParameters;
    },
): DeclaredOperation<Id, Method, Path, Responses, Body, PathParameters, QueryParameters> {
  return {
    id,
    method,
    path,
    description: '',
    access: 'none',
    pathParameters: {},
    queryParameters: {},
    headers: [],
    body: null,
    errors: [],
    failureMessage: null,
    service: method === 'GET' ? 'query' : 'command',
    rateLimits: [],
    isWebSocket: false,
    ...options,
  } as unknown as DeclaredOperation<Id, Method, Path, Responses, Body, PathParameters, QueryParameters>;
}

/** The type of the parsed JSON body of an operation. The type is `never` if the operation has no JSON body. */
export type InputOfBody<Body> = Body extends JsonBody<infer Schema> ? z.output<Schema> : never;

/** The JSON body that a request may send. The type is `never` if the operation has no JSON body. */
export type SentBody<Body> = Body extends JsonBody<infer Schema> ? DeepReadonly<z.input<Schema>> : never;

/** The JSON of the successful responses of an operation. The type is `never` if these are bytes or text. */
export type SuccessOf<Responses> = {
  [Status in keyof Responses & (200 | 201 | 202)]: Responses[Status] extends OperationResponse<infer Schema>
    ? Schema extends z.ZodMiniType
      ? View<Schema>
      : never
    : never;
}[keyof Responses & (200 | 201 | 202)];

/** The type of parsed query parameters. */
export type ParsedQuery<Declared extends ParametersByName> = {
  readonly [Name in keyof Declared]: z.output<Declared[Name]['schema']>;
};

/** The type of parsed path parameters. */
export type ParsedPath<Declared extends ParametersByName> = {
  readonly [Name in keyof Declared]: Declared[Name] extends { readonly errorCode: ErrorCode }
    ? z.output<Declared[Name]['schema']>
    : string;
};

const querySchemas = new WeakMap<ParametersByName, z.ZodMiniType>();

/** Returns the schema of all query parameters of an operation. */
export function getQuerySchema({ queryParameters }: Operation): z.ZodMiniType {
  const known = querySchemas.get(queryParameters);
  if (known) return known;
  const schema = z.object(
    Object.fromEntries(Object.entries(queryParameters).map(([name, parameter]) => [name, parameter.schema])),
  );
  querySchemas.set(queryParameters, schema);
  return schema;
}

/** Declares a response with a JSON body. */
export function jsonResponse<Schema extends z.ZodMiniType>(
  schema: Schema,
  description: string,
  headers: readonly ResponseHeader[] = [],
): OperationResponse<Schema> {
  return { description, schema, contentTypes: ['application/json'], headers };
}

/** Declares a response whose body is bytes or text. */
export function binaryResponse(
  contentTypes: readonly string[],
  description: string,
  headers: readonly ResponseHeader[] = [],
): OperationResponse<null> {
  return { description, schema: null, contentTypes, headers };
}

/** Declares a response without a body. */
export function emptyResponse(description: string, headers: readonly ResponseHeader[] = []): OperationResponse<null> {
  return { description, schema: null, contentTypes: [], headers };
}

/** The response to a conditional read if the result has not changed since the version that the client already has. */
export const NOT_MODIFIED_RESPONSE = registerResponse<OperationResponse<null>>('Unchanged', {
  description: 'Nothing has changed since the version in `If-None-Match`.',
  schema: null,
  contentTypes: [],
  headers: ['ETag'],
});

/** Declares the responses of a read of JSON that returns status 304 if the result has not changed. */
export function conditionalReadResponses<Schema extends z.ZodMiniType>(schema: Schema, description: string) {
  return { 200: jsonResponse(schema, description, ['ETag']), 304: NOT_MODIFIED_RESPONSE };
}

/**
 * Declares the headers and responses of a conditional read of JSON. With the header `X-Wait-Position`, the read waits
 * until its result includes the events up to a position in the event log.
 */
export function conditionalRead<Schema extends z.ZodMiniType>(schema: Schema, description: string) {
  const headers: readonly RequestHeader[] = ['If-None-Match', 'X-Wait-Position'];
  return { headers, responses: conditionalReadResponses(schema, description) };
}

/** Declares a required JSON body. */
export function jsonBody<Schema extends z.ZodMiniType>(
  schema: Schema,
  example: JsonBody['example'],
  otherNames: JsonBody['aliases'] = {},
): JsonBody<Schema> {
  return { kind: 'json', schema, aliases: otherNames, isRequired: true, max_bytes: JSON_BODY_MAX_bytes, example };
}

/** Response headers of a write. `X-Position` contains the position of the written events in the event log. */
export const POSITION_HEADERS: readonly ResponseHeader[] = ['X-Position'];
/**
 * Response headers of a write that also returns the new revision. The client sends this revision as `If-Match` with its
 * next write.
 */
export const REVISION_HEADERS: readonly ResponseHeader[] = ['ETag', 'X-Position'];

/** The errors that every operation can return. */
const COMMON_ERRORS: readonly ErrorCode[] = [
  'INVALID_REQUEST',
  'RATE_LIMITED',
  'INTERNAL',
  'UNAVAILABLE',
  'DATA_UNREADABLE',
];
const ACCESS_ERRORS: Readonly<Record<Access, readonly ErrorCode[]>> = {
  none: [],
  optional: ['AUTHENTICATION_REQUIRED'],
  bearer: ['AUTHENTICATION_REQUIRED'],
  statement: ['AUTHENTICATION_REQUIRED'],
  moderator: ['AUTHENTICATION_REQUIRED', 'ONLY_MODERATORS', 'TWO_STEP_NOT_SET_UP'],
  admin: ['AUTHENTICATION_REQUIRED', 'ONLY_ADMINS', 'TWO_STEP_NOT_SET_UP'],
};
const KEY_ERRORS: readonly ErrorCode[] = [
  'INVALID_IDEMPOTENCY_KEY',
  'IDEMPOTENCY_KEY_REUSED',
  'IDEMPOTENCY_IN_PROGRESS',
  'IDEMPOTENCY_ANSWER_GONE',
];
/** The errors of a JSON body that the server reads, but cannot parse. */
const UNREADABLE_BODY_ERRORS: readonly ErrorCode[] = ['INVALID_JSON', 'BODY_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'];
const BODY_ERRORS: Readonly<Record<NonNullable<Operation['body']>['kind'], readonly ErrorCode[]>> = {
  json: [...UNREADABLE_BODY_ERRORS, 'INVALID_FIELDS'],
  files: ['UPLOAD_BROKEN_OFF', 'UPLOADS_BUSY'],
  bytes: ['UPLOAD_BROKEN_OFF', 'UPLOADS_BUSY', 'UNSUPPORTED_MEDIA_TYPE'],
};
const HEADER_ERRORS: Readonly<Partial<Record<RequestHeader, readonly ErrorCode[]>>> = {
  'If-Match': ['STALE'],
  'Tus-Resumable': ['TUS_VERSION_NOT_SUPPORTED'],
  // The body of a request with a repeated key is compared with the body of the first request. The body is therefore
  // always parsed, so errors in the body are possible even if the operation declares no body.
  'Idempotency-Key': [...KEY_ERRORS, ...UNREADABLE_BODY_ERRORS],
};

/**
 * The errors that follow from the kind of a request, by kind. A kind applies to every operation that has all its
 * errors. The API document declares these errors once for all operations of the same kinds, as their default response.
 */
export const GENERAL_ERRORS: Readonly<Record<string, readonly ErrorCode[]>> = {
  AnyOperation: COMMON_ERRORS,
  Body: UNREADABLE_BODY_ERRORS,
  Key: KEY_ERRORS,
  Write: ['CONFLICT'],
};

/**
 * The errors of a request that reaches no operation. Either the path is unknown, or the path has no operation with this
 * method, or the request has too many headers.
 */
export const UNMATCHED_REQUEST_ERRORS: readonly ErrorCode[] = ['NOT_FOUND', 'METHOD_NOT_ALLOWED', 'TOO_MANY_HEADERS'];

/**
 * Returns every error code of an operation: the declared codes, and the codes that follow from other properties, e.g.
 * from the required access.
 */
export function getErrorCodes({
  access,
  method,
  body: sent,
  headers,
  queryParameters,
  errors,
  responses,
}: Operation): readonly ErrorCode[] {
  const isWrite = Object.values(responses).some((response) => response.headers.includes('X-Position'));
  const codes: readonly ErrorCode[] = [
    ...COMMON_ERRORS,
    ...ACCESS_ERRORS[access],
    ...((access === 'admin' || access === 'moderator') && method !== 'GET' ? (['CONFIRMATION_REQUIRED'] as const) : []),
    ...(sent ? BODY_ERRORS[sent.kind] : []),
    ...(Object.keys(queryParameters).length > 0 ? (['INVALID_FIELDS'] as const) : []),
    ...headers.flatMap((header) => HEADER_ERRORS[header] ?? []),
    ...(isWrite ? (['CONFLICT'] as const) : []),
    ...errors,
  ];
  return [...new Set(codes)];
}
