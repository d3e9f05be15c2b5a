import { useState } from 'react';
import type { ThreadView } from '@alpenglow/domain/contracts';
import { Choice, Menu, messageOf, useApi, useHost } from '@alpenglow/ui';
import { lockThread, pinThread } from '../api/requests.ts';
import { useText } from '../text.ts';
import { MoveDialog } from './move-dialog.tsx';

export interface ModeratorMenuProps {
  readonly thread: Pick<ThreadView, 'id' | 'country' | 'state' | 'city' | 'isLocked' | 'isPinned' | 'status'>;
  readonly onHide: () => void;
  readonly onShowAgain: () => void;
  readonly onChanged: () => Promise<void>;
}

/**
 * A menu with the moderator actions on a thread, such as locking or pinning. After an action other than moving or
 * hiding, a notification offers to undo it.
 */
export function ModeratorMenu({ thread, onHide, onShowAgain, onChanged }: ModeratorMenuProps) {
  const t = useText();
  const api = useApi();
  const { notify } = useHost();
  const [isMoving, setMoving] = useState(false);

  const run = async (work: () => Promise<unknown>, text: string, undo: (() => void) | null) => {
    try {
      await work();
      await onChanged();
      notify({ text, tone: 'success', ...(undo && { action: { label: t('community.undo'), run: undo } }) });
    } catch (error) {
      notify({ text: messageOf(error, t('community.sendFailed')), tone: 'danger' });
    }
  };
  const lock = (locked: boolean, canUndo = true) =>
    void run(
      () => lockThread(api, thread.id, locked),
      locked ? t('community.isClosed') : t('community.isOpen'),
      canUndo ? () => lock(!locked, false) : null,
    );
  const pin = (pinned: boolean, canUndo = true) =>
    void run(
      () => pinThread(api, thread.id, pinned),
      pinned ? t('community.isPinned') : t('community.isUnpinned'),
      canUndo ? () => pin(!pinned, false) : null,
    );

  return (
    <>
      <Menu label={t('community.moderate')} variant="secondary">
        <Choice onChoose={() => lock(!thread.isLocked)}>
          {thread.isLocked ? t('community.open') : t('community.close')}
        </Choice>
        <Choice onChoose={() => pin(!thread.isPinned)}>
          {thread.isPinned ? t('community.unpin') : t('community.pin')}
        </Choice>
        <Choice onChoose={() => setMoving(true)}>{t('community.move')}</Choice>
        {thread.status === 'visible' && (
          <Choice danger onChoose={onHide}>
            {t('community.hideThread')}
          </Choice>
        )}
        {thread.status === 'hidden' && <Choice onChoose={onShowAgain}>{t('community.showAgain')}</Choice>}
      </Menu>
      {isMoving && (
        <MoveDialog
          thread={thread}
          onClose={() => setMoving(false)}
          onMoved={() => {
            setMoving(false);
            notify({ text: t('community.moved'), tone: 'success' });
            void onChanged();
          }}
        />
      )}
    </>
  );
}
