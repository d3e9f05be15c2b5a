import {
  getOperation,
  type InputOf,
  type Operation,
  type OperationId,
  type PathOf,
  type QueryOf,
  type ResponseOf,
} from '@alpenglow/domain/api';
import { DomainError } from '@alpenglow/domain';
import { Router, type RequestHandler } from 'express';
import { parseJsonBody } from './json-body.ts';
import { findOperation } from './request-operation.ts';
import type { UncheckedBody, UncheckedPath, UncheckedQuery } from './request-input.ts';
import { findAgain, isReadWait } from './wait-for-position.ts';

/**
 * A handler of an API operation. It reads the path parameters, the query parameters and the body of a request with
 * `getPath`, `getQuery` and `getInput`, which parse them with the declaration of the operation. The JSON that it sends
 * has the declared type.
 */
export type OperationHandler<Id extends OperationId> = RequestHandler<
  UncheckedPath<PathOf<Id>>,
  BodyOf<Id>,
  UncheckedBody<InputOf<Id>>,
  UncheckedQuery<QueryOf<Id>>
>;

/** The type of the body of a response. Responses that are bytes or text have no type. */
type BodyOf<Id extends OperationId> = [ResponseOf<Id>] extends [never] ? unknown : ResponseOf<Id>;

/**
 * Middleware for `/api` that passes each request to the registered handlers of its operation. If the operation has no
 * handlers, the next middleware receives the request.
 */
export interface OperationRouter extends RequestHandler {
  /**
   * Registers the handlers of an operation. The declaration of the operation determines its HTTP method and path. If
   * the operation has a JSON body, it is parsed before the last handler runs, which reads it with `getInput`. If a
   * handler is from `waitForPosition` and the operation reads an item by its id, the last handler runs again when it
   * has found nothing. Throws if the operation already has handlers.
   */
  on<Id extends OperationId>(id: Id, ...handlers: OperationHandler<Id>[]): OperationRouter;
  /**
   * Adds the handlers that other routers have at this time. One router finds the handler of a request with one map.
   * Express would pass the request through all routers, which takes longer than many handlers. Throws if an operation
   * already has handlers.
   */
  include(...others: OperationRouter[]): OperationRouter;
  /** The operations whose handlers are registered in this router. */
  readonly operations: readonly Operation[];
  /** The handlers by the ids of their operations. */
  readonly handlers: ReadonlyMap<string, RequestHandler>;
}

export function createOperationRouter(): OperationRouter {
  const operations: Operation[] = [];
  const handlersById = new Map<string, RequestHandler>();

  const handle: RequestHandler = (req, res, next) => {
    const match = findOperation(req);
    const handler = match && handlersById.get(match.operation.id);
    if (!handler) return next();
    req.params = decodeParameters(match.parameters);
    // The promise of the handler is returned to Express, which handles its rejection.
    return handler(req, res, next);
  };

  function add(id: string, handler: RequestHandler): void {
    if (handlersById.has(id)) throw new Error(`The operation ${id} already has handlers`);
    handlersById.set(id, handler);
  }

  const router: OperationRouter = Object.assign(handle, {
    operations,
    handlers: handlersById,
    on<Id extends OperationId>(id: Id, ...handlers: OperationHandler<Id>[]): OperationRouter {
      const operation = getOperation(id);
      const all = handlers as unknown as RequestHandler[];
      const body = operation.body?.kind === 'json' ? [parseJsonBody] : [];
      const wait = operation.method === 'GET' && operation.path.includes('{') ? all.find(isReadWait) : undefined;
      const last = all.slice(-1).map((handler) => (wait ? findAgain(handler, wait) : handler));
      const steps = [...all.slice(0, -1), ...body, ...last];
      const [first, second] = steps;
      add(id, first && !second ? first : Router({ mergeParams: true }).use(steps));
      operations.push(operation);
      return router;
    },
    include(...others: OperationRouter[]): OperationRouter {
      for (const other of others) {
        for (const [id, handler] of other.handlers) add(id, handler);
        operations.push(...other.operations);
      }
      return router;
    },
  });
  return router;
}

/** Decodes percent-encoded path parameters. Throws INVALID_REQUEST if the encoding of a parameter is invalid. */
function decodeParameters(parameters: Readonly<Record<string, string>>): Record<string, string> {
  try {
    return Object.fromEntries(Object.entries(parameters).map(([name, text]) => [name, decodeURIComponent(text)]));
  } catch {
    throw new DomainError('INVALID_REQUEST');
  }
}
