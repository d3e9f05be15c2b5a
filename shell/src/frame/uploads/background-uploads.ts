import type { BackgroundUploads, Host } from '@alpenglow/ui';
import { useSyncExternalStore } from 'react';

type Shown = ReadonlyMap<string, BackgroundUploads>;

const NONE: Shown = new Map();
let shown: Shown = NONE;
const listeners = new Set<() => void>();

/** Stores the uploads of a form that continue in the background, or removes them (`Host.showUploads`). */
export const showUploads: NonNullable<Host['showUploads']> = (form, uploads) => {
  const next = new Map(shown);
  if (uploads) next.set(form, uploads);
  else if (!next.delete(form)) return;
  shown = next;
  listeners.forEach((listener) => listener());
};

const getBackgroundUploads = (): Shown => shown;

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Returns the uploads that continue in the background, by the name of their form. The server knows none. */
export function useBackgroundUploads(): Shown {
  return useSyncExternalStore(subscribe, getBackgroundUploads, () => NONE);
}
