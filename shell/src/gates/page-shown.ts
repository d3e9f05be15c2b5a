import { readQuestion, watchConsent } from './use-consent.ts';

/**
 * Calls `listener` once, as soon as the visitor sees the page: no question covers it, and its tab is visible. A page
 * that the browser loads in advance is not visible. Returns a function that cancels the call.
 */
export function onPageShown(listener: () => void): () => void {
  const check = () => {
    if (readQuestion() !== null || document.visibilityState !== 'visible') return;
    stop();
    listener();
  };
  const stopWatching = watchConsent(check);
  const stop = () => {
    stopWatching();
    document.removeEventListener('visibilitychange', check);
  };
  document.addEventListener('visibilitychange', check);
  check();
  return stop;
}
