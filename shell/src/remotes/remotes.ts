import { reportError } from '../reports/send-report.ts';
import { loadApp } from './federation.ts';
import { fetchRegistry } from './registry.ts';
import { RemoteLoader } from './remote-loader.ts';

/** The remotes of the page. */
export const remotes = new RemoteLoader({ fetchRegistry, loadApp, report: reportError });
