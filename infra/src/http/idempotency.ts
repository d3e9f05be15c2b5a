import { createHash } from 'node:crypto';
import { DomainError } from '@alpenglow/domain';
import type { Request, RequestHandler, Response } from 'express';
import type { StoredResponse, StoredResponses, IdempotentRequest } from '../adapters/postgres/stored-responses.ts';
import type { Logger } from '../service/logger.ts';
import type { StatementTokens } from '../security/statement-tokens.ts';
import type { Authentication } from './authentication.ts';
import { beforeResponse } from './before-response.ts';
import { getRawBody } from './json-body.ts';
import { findOperation } from './request-operation.ts';
import { hasStatementToken } from './statement-access.ts';

export interface IdempotencyDependencies {
  readonly storedResponses: StoredResponses;
  readonly authentication: Authentication;
  readonly statementTokens: StatementTokens;
  readonly log: Logger;
}

const KEY = /^[\w.:-]{1,128}$/u;
/** Response headers that are stored with a response. Other headers are only valid for one connection or one request. */
const STORED_HEADERS = ['content-type', 'etag', 'location', 'cache-control', 'x-position'];

/** Returns true if a request has the header `Idempotency-Key` and its operation supports this header. */
export function hasIdempotencyKey(req: Request): boolean {
  if (req.get('idempotency-key') === undefined) return false;
  return findOperation(req)?.operation.headers.includes('Idempotency-Key') ?? false;
}

/**
 * Creates a handler that stores successful responses for 24 h. A repeated request with the same `Idempotency-Key` gets
 * the stored response. Error responses are not stored, because a failed request has changed nothing and may be tried
 * again. The caller is a signed-in account, or a person with the token of a moderation decision. Throws
 * INVALID_IDEMPOTENCY_KEY if the key is malformed, and IDEMPOTENCY_KEY_REUSED if the key was used for another request.
 * Throws IDEMPOTENCY_IN_PROGRESS while the first request is running. Throws IDEMPOTENCY_ANSWER_GONE if the stored
 * response was removed, and DECISION_NOT_FOUND if the token is wrong. Must be mounted after `parseJsonBody`.
 */
export function handleIdempotencyKey({
  storedResponses,
  authentication,
  statementTokens,
  log,
}: IdempotencyDependencies): RequestHandler {
  async function findCaller(req: Request): Promise<string | null> {
    const match = findOperation(req);
    if (match?.operation.access === 'statement') {
      const decisionId = match.parameters['id'] ?? '';
      if (hasStatementToken(req, decisionId, statementTokens)) return `decision ${decisionId}`;
    }
    const principal = await authentication.findPrincipal(req);
    return principal?.account.accountId ?? null;
  }
  return async (req, res, next) => {
    const callerId = await findCaller(req);
    if (callerId === null) {
      next();
      return;
    }
    const key = req.get('idempotency-key') ?? '';
    if (!KEY.test(key)) throw new DomainError('INVALID_IDEMPOTENCY_KEY');
    const request: IdempotentRequest = { accountId: callerId, key, hash: hashRequest(req) };
    const claim = await storedResponses.claim(request);
    switch (claim.state) {
      case 'other':
        throw new DomainError('IDEMPOTENCY_KEY_REUSED');
      case 'gone':
        throw new DomainError('IDEMPOTENCY_ANSWER_GONE');
      case 'under way':
        throw new DomainError('IDEMPOTENCY_IN_PROGRESS');
      case 'answered':
        sendStoredResponse(res, claim.response);
        return;
      case 'ours':
        beforeResponse(res, async (body) => {
          try {
            const isSuccess = body !== null && res.statusCode >= 200 && res.statusCode < 300;
            await (isSuccess
              ? storedResponses.store(request, claim.turn, {
                  status: res.statusCode,
                  headers: storedHeaders(res),
                  body,
                })
              : storedResponses.release(request, claim.turn));
          } catch (err) {
            // The operation has already had its effect, so the response is sent although it could not be stored. A
            // repeated request is rejected until the claim of the key expires.
            log.warn({ err }, 'response could not be stored');
          }
        });
        next();
    }
  };
}

function hashRequest(req: Request): Buffer {
  return createHash('sha256').update(`${req.method}\n${req.originalUrl}\n`).update(getRawBody(req)).digest();
}

function storedHeaders(res: Response): Record<string, string> {
  return Object.fromEntries(
    STORED_HEADERS.flatMap((name) => (res.hasHeader(name) ? [[name, String(res.getHeader(name))]] : [])),
  );
}

function sendStoredResponse(res: Response, { status, headers, body }: StoredResponse): void {
  for (const [name, value] of Object.entries(headers)) res.setHeader(name, value);
  res.status(status).setHeader('Idempotency-Replayed', 'true').setHeader('Content-Length', body.length).end(body);
}
