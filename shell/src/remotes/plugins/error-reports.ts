import type { ModuleFederationRuntimePlugin } from '@module-federation/runtime';
import { parseRemoteFile } from '../../reports/front-end-errors.ts';
import { reportError } from '../../reports/send-report.ts';
import { hasThrown } from '../load-failures.ts';

/**
 * Reports that the code of a remote has thrown while it was loaded, to the console and to the server. The browser
 * itself writes files that did not arrive to the console, and `watchLoadErrors` reports them to the server.
 */
export const errorReportsPlugin: ModuleFederationRuntimePlugin = {
  name: 'error-reports',
  errorLoadRemote({ id, error, remote }) {
    if (!hasThrown(error)) return;
    // oxlint-disable-next-line no-console -- the developers of the remote need the error
    console.error(`The code of ${id} has thrown.`, error);
    const url = remote && 'entry' in remote ? remote.entry : '';
    const file = url === '' ? null : parseRemoteFile(new URL(url, location.href).pathname);
    if (file) reportError({ frontEnd: file.remote, hash: file.hash, kind: 'load' });
  },
};
