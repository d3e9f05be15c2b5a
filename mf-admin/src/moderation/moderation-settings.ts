import { useState } from 'react';
import { browserStorage, LOCAL_KEYS, parseObject, remembering } from '@alpenglow/ui';

/** The choices of a moderator that this browser stores. */
interface ModerationSettings {
  readonly reasons: readonly string[];
  readonly hasShortcuts: boolean;
}

export const SAVED_REASONS_MAX = 20;
const storage = remembering(browserStorage());

function load(): ModerationSettings {
  const stored = parseObject(storage.getItem(LOCAL_KEYS.moderation) ?? '');
  const { reasons, hasShortcuts } = stored ?? {};
  return {
    reasons: Array.isArray(reasons)
      ? reasons.filter((text) => typeof text === 'string').slice(0, SAVED_REASONS_MAX)
      : [],
    hasShortcuts: hasShortcuts !== false,
  };
}

/** Returns the stored choices of the moderator, and a function that changes some of them. */
export function useModerationSettings() {
  const [settings, setSettings] = useState(load);
  const change = (changed: Partial<ModerationSettings>) => {
    // Another part of the page may have changed other settings.
    const next = { ...load(), ...changed };
    storage.setItem(LOCAL_KEYS.moderation, JSON.stringify(next));
    setSettings(next);
  };
  return { settings, change };
}
