import { CONSENT_TEXT_VERSIONS, type ConsentChoice, type ConsentKind } from '@alpenglow/domain/contracts';
import { createTraceparent, LOCAL_KEYS } from '@alpenglow/ui';
import { pageStorage } from '../storage/page-storage.ts';
import { readStoredSession } from '../session/stored-session.ts';

/**
 * Sends a consent choice and the version of the text about it to the server. If the request fails, the visitor can
 * continue, and the choice is stored only in this browser.
 */
export function recordConsent(kind: ConsentKind, choice: ConsentChoice): void {
  const token = readStoredSession(pageStorage)?.token ?? null;
  const visitorId = pageStorage.getItem(LOCAL_KEYS.consentVisitor) ?? crypto.randomUUID();
  pageStorage.setItem(LOCAL_KEYS.consentVisitor, visitorId);
  void fetch('/api/consents', {
    method: 'POST',
    keepalive: true,
    headers: {
      'Content-Type': 'application/json',
      traceparent: createTraceparent(),
      ...(token !== null && { Authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify({ kind, choice, textVersion: CONSENT_TEXT_VERSIONS[kind], visitorId }),
  }).catch(() => undefined);
}
