import { DomainError } from '@alpenglow/domain';
import { getOperation, getQuerySchema, type Operation, type OperationId, type QueryOf } from '@alpenglow/domain/api';
import type { Request } from 'express';
import { parseInput } from './errors.ts';
import { findOperation } from './request-operation.ts';

/**
 * Functions with which handlers read the input of a request. They parse it with the declaration of the operation.
 * Handlers check the caller first, so that a caller without permission gets an authentication error.
 */

declare const input: unique symbol;

/** Decoded path parameters before their validation. `Path` is the type of the validated parameters. */
export type UncheckedPath<Path> = { readonly [name in keyof Path]: string } & { readonly [input]?: Path };

/** The query of a request before its validation. `Query` is the type of the validated parameters. */
export type UncheckedQuery<Query> = { readonly [input]?: Query };

/** A JSON body before its validation. `Input` is the type of the validated body. */
export type UncheckedBody<Input> = Readonly<Record<string, unknown>> & { readonly [input]?: Input };

type RequestLine = Pick<Request, 'method' | 'originalUrl'>;

/** A request of an API operation with path parameters. */
type PathRequest<Path> = RequestLine & { readonly params: UncheckedPath<Path> };

/** A request with path parameters, for functions that several handlers share. */
export type RequestWithPath<Path> = Request<UncheckedPath<Path>>;

/** A request of an API operation with query parameters. */
export type QueryRequest<Query> = RequestLine & { readonly query: UncheckedQuery<Query> };

/** A request of an API operation with a JSON body. */
export type InputRequest<Input> = RequestLine & { readonly body: UncheckedBody<Input> };

/** Returns the path parameters of a request. Throws the declared error of a parameter that is not valid. */
export function getPath<Path>(req: PathRequest<Path>): Path {
  const texts: Readonly<Record<string, string>> = req.params;
  const path = Object.entries(requireOperation(req).pathParameters).map(([name, { schema, errorCode }]) => {
    if (errorCode === undefined) return [name, texts[name]] as const;
    const parsed = schema.safeParse(texts[name]);
    if (!parsed.success) throw new DomainError(errorCode);
    return [name, parsed.data] as const;
  });
  return Object.fromEntries(path) as Path;
}

/** Returns the query parameters of a request. Throws INVALID_FIELDS. */
export function getQuery<Query>(req: QueryRequest<Query>): Query {
  return parseInput(getQuerySchema(requireOperation(req)), req.query) as Query;
}

/** Parses query parameters with the declaration of an operation. Throws INVALID_FIELDS. */
export function parseQuery<Id extends OperationId>(id: Id, query: unknown): QueryOf<Id> {
  return parseInput(getQuerySchema(getOperation(id)), query) as QueryOf<Id>;
}

/**
 * Returns the JSON body of a request. `normalise` first converts alternative values of the body. Throws REQUIRED_FIELDS
 * or INVALID_FIELDS.
 */
export function getInput<Input>(
  req: InputRequest<Input>,
  normalise: (body: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>> = (body) => body,
): Input {
  const { body } = requireOperation(req);
  if (body?.kind !== 'json') throw new Error(`${req.method} ${req.originalUrl} declares no JSON body`);
  return parseInput(body.schema, normalise(renameAliases(req.body, body.aliases))) as Input;
}

/** Replaces other accepted names of properties. A property with its own name and a value takes precedence. */
function renameAliases(
  body: Readonly<Record<string, unknown>>,
  aliases: Readonly<Record<string, string>>,
): Readonly<Record<string, unknown>> {
  const renamed: Record<string, unknown> = { ...body };
  for (const [alias, name] of Object.entries(aliases))
    if ((renamed[name] ?? null) === null && body[alias] !== undefined) renamed[name] = body[alias];
  return renamed;
}

function requireOperation(req: RequestLine): Operation {
  const match = findOperation(req);
  if (!match) throw new Error(`${req.method} ${req.originalUrl} is not an operation`);
  return match.operation;
}
