/** The visitor's choice whether lists and favorites show notices about live events. This browser stores it. */
import { LIVE_NOTICES_OFF, LOCAL_KEYS } from '@alpenglow/ui';
import { useSyncExternalStore } from 'react';
import { pageStorage } from '../storage/page-storage.ts';
import { createStorageWatchers } from '../storage/storage-watchers.ts';

const { watch, notify } = createStorageWatchers();

const areLiveNoticesOn = (): boolean => pageStorage.getItem(LOCAL_KEYS.liveNotices) !== LIVE_NOTICES_OFF;

export function chooseLiveNotices(isOn: boolean): void {
  if (isOn) pageStorage.removeItem(LOCAL_KEYS.liveNotices);
  else pageStorage.setItem(LOCAL_KEYS.liveNotices, LIVE_NOTICES_OFF);
  notify();
}

export function useLiveNoticesChoice(): boolean {
  return useSyncExternalStore(watch, areLiveNoticesOn, () => true);
}
