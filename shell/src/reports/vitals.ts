/**
 * Starts to measure the speed of pages (Web Vitals). It is measured only with the visitor's consent. The code for it is
 * loaded when the page is idle, because it must not slow down the page.
 */
import { canMeasure } from '../gates/consent.ts';
import { watchConsent } from '../gates/use-consent.ts';
import { pageStorage } from '../storage/page-storage.ts';

/** Time after which the code is loaded even if the page is never idle. */
const IDLE_LIMIT_ms = 10_000;
/** Time after which browsers that cannot report that the page is idle load the code. */
const WAIT_ms = 3_000;

let isStarted = false;

/** It is called once, before the first render. Measuring starts after the visitor has consented. */
export function startVitals(): void {
  watchConsent(start);
  start();
}

function start(): void {
  if (isStarted || !canMeasure(pageStorage)) return;
  isStarted = true;
  whenIdle(() => {
    // Without this code, the page works and is not measured.
    void import(/* webpackChunkName: "vitals" */ './measure-vitals.ts').then(
      ({ measureVitals }) => measureVitals(),
      () => undefined,
    );
  });
}

function whenIdle(run: () => void): void {
  const afterLoad = () => {
    if ('requestIdleCallback' in globalThis) requestIdleCallback(run, { timeout: IDLE_LIMIT_ms });
    else setTimeout(run, WAIT_ms);
  };
  if (document.readyState === 'complete') afterLoad();
  else addEventListener('load', afterLoad, { once: true });
}
