import { useSyncExternalStore } from 'react';

/** The request of a page that the user enters the password again. The dialog ends the request. */
export interface ConfirmationRequest {
  /** Ends the request. `isConfirmed` is false if the user has cancelled the dialog. */
  readonly settle: (isConfirmed: boolean) => void;
}

let current: { readonly request: ConfirmationRequest; readonly result: Promise<boolean> } | null = null;
const watchers = new Set<() => void>();

function notifyWatchers(): void {
  for (const watcher of watchers) watcher();
}

/**
 * Asks the user to enter the password again, because the server requires it. Concurrent calls share one dialog.
 * Resolves with false if the user cancels.
 */
export function confirmPassword(): Promise<boolean> {
  if (current) return current.result;
  let settle: ConfirmationRequest['settle'] = () => undefined;
  const result = new Promise<boolean>((resolve) => {
    settle = (isConfirmed) => {
      current = null;
      notifyWatchers();
      resolve(isConfirmed);
    };
  });
  current = { request: { settle }, result };
  notifyWatchers();
  return result;
}

const watch = (watcher: () => void) => {
  watchers.add(watcher);
  return () => watchers.delete(watcher);
};

/** Returns the open request for the password, or null. */
export function useConfirmationRequest(): ConfirmationRequest | null {
  return useSyncExternalStore(
    watch,
    () => current?.request ?? null,
    () => null,
  );
}
