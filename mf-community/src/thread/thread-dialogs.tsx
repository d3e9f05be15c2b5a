import { useState } from 'react';
import type { PostView } from '@alpenglow/domain/contracts';
import { ConfirmDialog, isApiError, messageOf, useApi, useHost } from '@alpenglow/ui';
import { deletePost } from '../api/requests.ts';
import { HideDialog } from '../moderation/hide-dialog.tsx';
import { useText } from '../text.ts';
import { HistoryDialog } from './history-dialog.tsx';
import type { PostDialog } from './post.tsx';

/** The dialog that a visitor has opened, and the post that it is about. */
export interface OpenDialog {
  readonly what: PostDialog;
  readonly post: PostView;
}

interface ThreadDialogsProps {
  readonly threadId: string;
  /** Null if no dialog is open. */
  readonly dialog: OpenDialog | null;
  readonly onClose: () => void;
  /** Called after a post was changed. Its promise resolves when the page shows the change. */
  readonly onChanged: () => Promise<void>;
  readonly onShowAgain: (post: PostView) => void;
}

/** The dialogs about the posts of a thread. Owns the state of a deletion. */
export function ThreadDialogs({ threadId, dialog, onClose, onChanged, onShowAgain }: ThreadDialogsProps) {
  const t = useText();
  const api = useApi();
  const { notify } = useHost();
  const [isDeleting, setDeleting] = useState(false);
  const [deleteProblem, setDeleteProblem] = useState<string | null>(null);

  const remove = async (post: PostView) => {
    setDeleting(true);
    setDeleteProblem(null);
    try {
      await deletePost(api, threadId, post.number);
      await onChanged();
      onClose();
      notify({ text: t('community.isDeleted'), tone: 'success' });
    } catch (error) {
      // Status 404 means that the post was deleted in another tab, so the outdated data is fetched again.
      if (isApiError(error) && error.status === 404) await onChanged();
      setDeleteProblem(messageOf(error, t('community.sendFailed')));
    } finally {
      setDeleting(false);
    }
  };

  return (
    <>
      {dialog?.what === 'history' && (
        <HistoryDialog threadId={threadId} number={dialog.post.number} onClose={onClose} />
      )}
      {dialog?.what === 'hide' && (
        <HideDialog
          threadId={threadId}
          post={dialog.post}
          onClose={onClose}
          onHidden={() => {
            const { post } = dialog;
            onClose();
            notify({
              text: t('community.isHidden'),
              tone: 'success',
              action: { label: t('community.undo'), run: () => onShowAgain(post) },
            });
            void onChanged();
          }}
        />
      )}
      <ConfirmDialog
        open={dialog?.what === 'delete'}
        title={t('community.deleteTitle')}
        confirmLabel={t('community.delete')}
        cancelLabel={t('common.cancel')}
        danger
        busy={isDeleting}
        problem={deleteProblem}
        onConfirm={() => dialog && void remove(dialog.post)}
        onCancel={() => {
          setDeleteProblem(null);
          onClose();
        }}
      >
        <p>{dialog?.post.number === 0 ? t('community.deleteThreadText') : t('community.deleteText')}</p>
      </ConfirmDialog>
    </>
  );
}
