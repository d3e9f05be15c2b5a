import { useEffect } from 'react';

/**
 * Makes the browser ask for confirmation before the visitor leaves the page. Returns a function that turns this
 * confirmation off.
 */
export function warnBeforeLeaving(): () => void {
  const preventUnload = (event: BeforeUnloadEvent) => event.preventDefault();
  addEventListener('beforeunload', preventUnload);
  return () => removeEventListener('beforeunload', preventUnload);
}

/** Makes the browser ask for confirmation while the page has unsaved changes. */
export function useLeaveWarning(hasUnsavedChanges: boolean): void {
  useEffect(() => (hasUnsavedChanges ? warnBeforeLeaving() : undefined), [hasUnsavedChanges]);
}
