/** The visitor's choice whether live messages are shown as toasts. This browser stores it. */
import { LOCAL_KEYS } from '@alpenglow/ui';
import { useSyncExternalStore } from 'react';
import { pageStorage } from '../../storage/page-storage.ts';
import { createStorageWatchers } from '../../storage/storage-watchers.ts';

const OFF = 'off';

const { watch, notify } = createStorageWatchers();

/** Returns true unless the visitor has muted live notices. */
export const areLiveNoticesOn = (): boolean => pageStorage.getItem(LOCAL_KEYS.liveNotices) !== OFF;

export function chooseLiveNotices(isOn: boolean): void {
  if (isOn) pageStorage.removeItem(LOCAL_KEYS.liveNotices);
  else pageStorage.setItem(LOCAL_KEYS.liveNotices, OFF);
  notify();
}

export function useLiveNoticesChoice(): boolean {
  return useSyncExternalStore(watch, areLiveNoticesOn, () => true);
}
