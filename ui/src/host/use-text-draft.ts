import { useState } from 'react';
import { getBrowserStorage, getTabStorage } from './browser-storage.ts';
import { createTextDraftStore, type DraftTexts } from './draft-store.ts';
import { useUser } from './host-context.tsx';
import { useLeaveWarning } from './use-leave-warning.ts';

/** The draft of a form's texts. */
export interface TextDraft {
  /** The texts that were restored when the form opened. Empty without a draft. */
  readonly texts: Readonly<Record<string, string | undefined>>;
  /**
   * The time of the last change of the restored texts. Null if no text was restored, or if it was sent or discarded.
   */
  readonly restoredFrom_ms: number | null;
  /** Stores the texts of the form. Deletes the draft if all texts are blank. */
  readonly save: (texts: DraftTexts) => void;
  /** Deletes the draft. The form calls this when the texts were sent. */
  readonly clear: () => void;
}

export interface TextDraftOptions {
  /**
   * The storage of the draft. `tab` keeps it until the tab is closed. Use it for texts about other people, such as
   * notes of moderators. `browser` also keeps it after that.
   */
  readonly in: 'tab' | 'browser';
}

/**
 * Stores the unsent texts of a form in this browser, and returns the texts of an earlier visit. Each form needs its own
 * name. The server does not know the draft, so the first render of server-rendered HTML must not depend on it.
 */
export function useTextDraft(name: string, { in: place }: TextDraftOptions): TextDraft {
  const viewer = useUser()?.id ?? null;
  const [store] = useState(() =>
    createTextDraftStore({ storage: place === 'tab' ? getTabStorage() : getBrowserStorage(), viewer, name }),
  );
  const [loaded] = useState(() => store.load());
  const [isRestored, setRestored] = useState(loaded !== null);
  const [isUnsaved, setUnsaved] = useState(false);
  useLeaveWarning(isUnsaved);
  return {
    texts: loaded?.values ?? {},
    restoredFrom_ms: isRestored && loaded ? loaded.savedAt_ms : null,
    save: (texts) => setUnsaved(!store.save(texts)),
    clear() {
      store.clear();
      setRestored(false);
      setUnsaved(false);
    },
  };
}
