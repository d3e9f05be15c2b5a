import type { ReactNode } from 'react';
import type { TextDraft } from '../host/use-text-draft.ts';
import { useUiText } from '../i18n/text.tsx';
import { Button } from './button.tsx';
import { TimeAgo } from './time-ago.tsx';
import styles from './draft-note.module.css';

export interface DraftNoteProps {
  readonly title: string;
  /** The time of the last change of the draft. */
  readonly savedAt_ms: number;
  readonly children?: ReactNode;
  /** Buttons that restore or discard the draft. */
  readonly actions: ReactNode;
}

/** A note that this browser stores a draft of the form. */
export function DraftNote({ title, savedAt_ms, children, actions }: DraftNoteProps) {
  return (
    <div role="status" className={styles['note']}>
      <p>
        <strong>{title}</strong> · <TimeAgo at={new Date(savedAt_ms).toISOString()} />
        {children != null && (
          <>
            <br />
            {children}
          </>
        )}
      </p>
      <div className={styles['actions']}>{actions}</div>
    </div>
  );
}

export interface RestoredTextProps {
  readonly draft: TextDraft;
  /** Called after the draft was discarded. The form then shows its initial texts. */
  readonly onDiscard: () => void;
}

/** A note in a form that unsent texts were restored, with a button that discards them. */
export function RestoredText({ draft, onDiscard }: RestoredTextProps) {
  const t = useUiText();
  if (draft.restoredFrom_ms === null) return null;
  return (
    <DraftNote
      title={t('draft.restored')}
      savedAt_ms={draft.restoredFrom_ms}
      actions={
        <Button
          size="small"
          onClick={({ currentTarget }) => {
            // The button disappears, so the focus moves to the text.
            const form = currentTarget.closest('form, dialog');
            (form?.querySelector('textarea') ?? form?.querySelector('input'))?.focus();
            draft.clear();
            onDiscard();
          }}
        >
          {t('draft.discard')}
        </Button>
      }
    />
  );
}
