/**
 * Reports errors that no code has handled. A report contains no text and no stack of the error, because both may
 * contain personal data. It is sent only with the visitor's consent.
 */
import { canMeasure } from '../gates/consent.ts';
import { pageStorage } from '../storage/page-storage.ts';
import { findFrontEnd } from './front-end-errors.ts';
import { getShellHash, reportError } from './send-report.ts';

/** It is called once, before the first render. */
export function watchUncaughtErrors(): void {
  addEventListener('error', ({ error, filename }) => report('uncaught', stackOf(error) ?? filename));
  addEventListener('unhandledrejection', ({ reason }) => report('rejection', stackOf(reason) ?? ''));
}

const stackOf = (error: unknown): string | undefined => (error instanceof Error ? error.stack : undefined);

function report(kind: 'uncaught' | 'rejection', trace: string): void {
  const version = findFrontEnd(trace, { origin: location.origin, shellHash: getShellHash() });
  if (version && canMeasure(pageStorage)) reportError({ ...version, kind });
}
