import { createHash } from 'node:crypto';
import { DomainError } from '@alpenglow/domain';
import type { Request, RequestHandler, Response } from 'express';
import type { KeptAnswer, KeptAnswers, KeyedRequest } from '../adapters/postgres/kept-answers.ts';
import type { Logger } from '../logger.ts';
import type { StatementTokens } from '../statement-tokens.ts';
import type { Authentication } from './authentication.ts';
import { beforeAnswering } from './before-answering.ts';
import { rawBodyOf } from './json-body.ts';
import { hasStatementToken } from './statement-access.ts';

export interface IdempotencyDependencies {
  readonly answers: KeptAnswers;
  readonly authentication: Authentication;
  readonly statementTokens: StatementTokens;
  readonly log: Logger;
}

const KEY = /^[\w.:-]{1,128}$/u;
const WRITES = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);
/** Answers to these carry tokens, or their bodies are too large to compare; syncs, previews and trials change nothing, however often, and whoever ends mails need be nobody. */
const LEFT_OUT =
  /^\/(?:auth|account\/(?:erasure|identity)|uploads|sync|community\/(?:preview|unsubscribe)|admin\/(?:blog\/preview|rules\/try))(?:\/|$)/iu;
/** May be made with the token of a mail in place of a session. */
const APPEAL = /^\/account\/decisions\/([^/]+)\/appeal\/?$/iu;
/** What of an answer's head belongs to it rather than to the connection or to the request that asks again. */
const KEPT_HEADERS = ['content-type', 'etag', 'location', 'cache-control', 'x-position'];

/** Whether a call goes by its `Idempotency-Key`: one that writes, apart from accounts, erasures, uploads, identity checks and syncs. `path` is the one below `/api`. */
export function isKeyed(req: Request): boolean {
  return WRITES.has(req.method) && req.get('idempotency-key') !== undefined && !LEFT_OUT.test(req.path);
}

/**
 * Answers the request of a signed-in account, or of whoever has the token of a decision, with an `Idempotency-Key` as it was answered the first time, for 24 h. Only what was done is kept: a
 * refusal has changed nothing, so that the next try is a first one. Refuses with INVALID_IDEMPOTENCY_KEY, IDEMPOTENCY_KEY_REUSED where the
 * key belongs to another request, IDEMPOTENCY_IN_PROGRESS, IDEMPOTENCY_ANSWER_GONE, and DECISION_NOT_FOUND where such a token is wrong. To be mounted after `jsonBody`.
 */
export function idempotent({ answers, authentication, statementTokens, log }: IdempotencyDependencies): RequestHandler {
  async function askerOf(req: Request): Promise<string | null> {
    const decisionId = APPEAL.exec(req.path)?.[1];
    if (decisionId !== undefined && hasStatementToken(req, decisionId, statementTokens))
      return `decision ${decisionId}`;
    const principal = await authentication.optional(req);
    return principal?.account.accountId ?? null;
  }
  return async (req, res, next) => {
    const asker = await askerOf(req);
    if (asker === null) {
      next();
      return;
    }
    const key = req.get('idempotency-key') ?? '';
    if (!KEY.test(key)) throw new DomainError('INVALID_IDEMPOTENCY_KEY');
    const request: KeyedRequest = { accountId: asker, key, hash: hashOf(req) };
    const claim = await answers.claim(request);
    switch (claim.state) {
      case 'other':
        throw new DomainError('IDEMPOTENCY_KEY_REUSED');
      case 'gone':
        throw new DomainError('IDEMPOTENCY_ANSWER_GONE');
      case 'under way':
        throw new DomainError('IDEMPOTENCY_IN_PROGRESS');
      case 'answered':
        answerAgain(res, claim.answer);
        return;
      case 'ours':
        beforeAnswering(res, async (body) => {
          try {
            const isDone = body !== null && res.statusCode >= 200 && res.statusCode < 300;
            await (isDone
              ? answers.keep(request, claim.turn, { status: res.statusCode, headers: keptHeadersOf(res), body })
              : answers.release(request, claim.turn));
          } catch (err) {
            // Done is done; the key stays taken until its turn is over.
            log.warn({ err }, 'an answer could not be kept');
          }
        });
        next();
    }
  };
}

function hashOf(req: Request): Buffer {
  return createHash('sha256').update(`${req.method}\n${req.originalUrl}\n`).update(rawBodyOf(req)).digest();
}

function keptHeadersOf(res: Response): Record<string, string> {
  return Object.fromEntries(
    KEPT_HEADERS.flatMap((name) => (res.hasHeader(name) ? [[name, String(res.getHeader(name))]] : [])),
  );
}

function answerAgain(res: Response, { status, headers, body }: KeptAnswer): void {
  for (const [name, value] of Object.entries(headers)) res.setHeader(name, value);
  res.status(status).setHeader('Idempotency-Replayed', 'true').setHeader('Content-Length', body.length).end(body);
}
