import { reportError, reportView } from '../reports/send-report.ts';
import { fetchRegistry } from './registry.ts';
import { findLateFile, hasThrown, isWithoutResponse } from './load-failures.ts';
import { RemoteLoader } from './remote-loader.ts';
import { loadApp } from './runtime.ts';

/** The remotes of the page. */
export const remotes = new RemoteLoader({
  ...{ fetchRegistry, loadApp, hasThrown, findLateFile, isWithoutResponse },
  ...{ report: reportError, reportView },
});
