import { CONSENT_TEXT_VERSIONS, type ConsentChoice, type ConsentKind } from '@alpenglow/domain/contracts';
import { pageStorage } from '../storage/page-storage.ts';
import { readStoredSession } from '../session/stored-session.ts';

/** Random, and only for this: it names the browser's answers to the texts, not the visitor. */
const VISITOR_KEY = 'consent_visitor';

/** Lets the server note what was said to which text. What cannot be noted now stays in this browser: nobody is kept out by it. */
export function recordConsent(kind: ConsentKind, choice: ConsentChoice): void {
  const token = readStoredSession(pageStorage)?.token ?? null;
  const visitorId = pageStorage.getItem(VISITOR_KEY) ?? crypto.randomUUID();
  pageStorage.setItem(VISITOR_KEY, visitorId);
  void fetch('/api/consents', {
    method: 'POST',
    keepalive: true,
    headers: { 'Content-Type': 'application/json', ...(token !== null && { Authorization: `Bearer ${token}` }) },
    body: JSON.stringify({ kind, choice, textVersion: CONSENT_TEXT_VERSIONS[kind], visitorId }),
  }).catch(() => undefined);
}
