import type { Request } from 'express';
import { parseInput } from './errors.ts';
import { findOperation } from './request-operation.ts';

declare const input: unique symbol;

/** A JSON body before its validation. `Input` is the type of the validated body. */
export type UncheckedBody<Input> = Readonly<Record<string, unknown>> & { readonly [input]?: Input };

/** A request of an API operation with a JSON body. */
export type InputRequest<Input> = Pick<Request, 'method' | 'originalUrl'> & { readonly body: UncheckedBody<Input> };

/**
 * Validates the body of a request with the schema of its operation, and returns the validated body. `normalise` first
 * converts alternative forms of the body. Handlers check the caller before they call this function, so that a caller
 * without permission gets an authentication error first. Throws REQUIRED_FIELDS or INVALID_FIELDS.
 */
export function getInput<Input>(
  req: InputRequest<Input>,
  normalise: (body: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>> = (body) => body,
): Input {
  const body = findOperation(req)?.operation.body;
  if (body?.kind !== 'json') throw new Error(`${req.method} ${req.originalUrl} declares no JSON body`);
  return parseInput(body.schema, normalise(req.body)) as Input;
}
