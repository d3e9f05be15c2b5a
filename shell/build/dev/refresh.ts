/**
 * Prepares the page for hot replacement of React components, before React DOM is loaded. The remote under development
 * uses this copy of the code (shell/build/preset.mjs).
 */
import * as refresh from 'react-refresh/runtime';

refresh.injectIntoGlobalHook(globalThis);
Object.assign(globalThis, {
  $RefreshReg$: () => undefined,
  $RefreshSig$:
    () =>
    <T>(type: T) =>
      type,
  alpenglowRefresh: refresh,
});
