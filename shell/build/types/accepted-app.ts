/**
 * Compiles only if the shell can render the `./App` of a remote. `check-types.mjs` compiles this module with the types
 * that the build of the remote has generated. `remote-types/App` is the path of these types.
 */
import type { ComponentType } from 'react';
import type { RemoteProps } from '../../../ui/src/host/contract.ts';
import App from 'remote-types/App';

export const accepted: ComponentType<RemoteProps> = App;
