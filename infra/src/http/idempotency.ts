import { createHash } from 'node:crypto';
import { DomainError, type RequestIds } from '@alpenglow/domain';
import type { Request, RequestHandler, Response } from 'express';
import type {
  ClaimedTurn,
  StoredResponse,
  StoredResponses,
  IdempotentRequest,
} from '../adapters/postgres/stored-responses.ts';
import type { Logger } from '../service/logger.ts';
import { createRequestIds } from '../service/request-ids.ts';
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
  /** Returns a keyed hash of a text. */
  readonly hashKey: (text: string) => string;
  readonly log: Logger;
}

/** Identifies all callers without an account. Their keys must therefore be unique. */
const VISITORS = 'visitor';
const DAY_ms = 24 * 60 * 60_000;
const KEY = /^[\w.:-]{1,128}$/u;
/** Response headers that are stored with a response. Other headers are only valid for one connection or one request. */
const STORED_HEADERS = ['content-type', 'etag', 'location', 'cache-control', 'x-position'];

/** Returns true if a request has the header `Idempotency-Key` and its operation supports this header. */
export function hasIdempotencyKey(req: Request): boolean {
  if (req.get('idempotency-key') === undefined) return false;
  return findOperation(req)?.operation.headers.includes('Idempotency-Key') ?? false;
}

/**
 * Returns the ids of a request with an `Idempotency-Key`, or null for any other request. Every attempt of the request
 * has the same ids (decision 0072).
 */
export function getRequestIds(res: Response): RequestIds | null {
  return (res.locals['requestIds'] as RequestIds | undefined) ?? null;
}

/**
 * Creates a handler that stores successful responses for 24 h. A repeated request with the same `Idempotency-Key` gets
 * the stored response. After an error with status 4xx, the key may be used for another request, because the failed
 * request has changed nothing. After any other error, it is unknown whether the request has written events. The same
 * request may then run again at once, and its commands find the events of the first attempt by their ids.
 *
 * The caller is a signed-in account, a person with the token of a moderation decision, or a visitor if the operation
 * needs no account. Throws INVALID_IDEMPOTENCY_KEY if the key is malformed, and IDEMPOTENCY_KEY_REUSED if the key was
 * used for another request. Throws IDEMPOTENCY_IN_PROGRESS while the first request is running. Throws
 * IDEMPOTENCY_ANSWER_GONE if the stored response was removed, and DECISION_NOT_FOUND if the token is wrong. Must be
 * mounted after `parseJsonBody`.
 */
export function handleIdempotencyKey({
  storedResponses,
  authentication,
  statementTokens,
  hashKey,
  log,
}: IdempotencyDependencies): RequestHandler {
  async function findCaller(req: Request): Promise<string | null> {
    const match = findOperation(req);
    if (match?.operation.access === 'statement') {
      const decisionId = match.parameters['id'] ?? '';
      if (hasStatementToken(req, decisionId, statementTokens)) return `decision ${decisionId}`;
    }
    // Such an operation ignores a session, so an expired one does not matter.
    if (match?.operation.access === 'none') return VISITORS;
    const principal = await authentication.findPrincipal(req);
    return principal?.account.accountId ?? (match?.operation.access === 'optional' ? VISITORS : null);
  }

  function createIds({ accountId, key, hash }: IdempotentRequest, { firstAt_ms, isRepeated }: ClaimedTurn) {
    // The first attempt may be lost together with its time, e.g. after a failover of the database. Another attempt on
    // the same day has the same ids nevertheless. A key that is used again a day later has other ids.
    const at_ms = Math.floor(firstAt_ms / DAY_ms) * DAY_ms;
    const seed = hashKey(`ids\0${accountId}\0${key}\0${hash.toString('hex')}\0${at_ms}`);
    return createRequestIds({ seed, at_ms, isRepeated });
  }

  async function endTurn(
    res: Response,
    request: IdempotentRequest,
    { turn, isRepeated }: ClaimedTurn,
    body: Buffer | null,
  ): Promise<void> {
    if (body !== null && res.statusCode >= 200 && res.statusCode < 300)
      await storedResponses.store(request, turn, { status: res.statusCode, headers: storedHeaders(res), body });
    else if (!isRepeated && res.statusCode >= 400 && res.statusCode < 500) await storedResponses.release(request, turn);
    else await storedResponses.allowRepetition(request, turn);
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
        res.locals['requestIds'] = createIds(request, claim);
        beforeResponse(res, (body) =>
          // The operation has already had its effect, so the response is sent even if this step fails. A repeated
          // request is then rejected until the claim of the key expires.
          endTurn(res, request, claim, body).catch((err: unknown) => log.warn({ err }, 'response could not be stored')),
        );
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
