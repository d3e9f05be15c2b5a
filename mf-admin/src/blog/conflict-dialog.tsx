import { Button, Dialog, TimeAgo } from '@alpenglow/ui';
import { useText } from '../text.ts';
import type { EditConflict } from './use-article-editor.ts';

export interface ConflictDialogProps {
  readonly conflict: EditConflict | null;
  readonly onTakeTheirs: () => void;
  readonly onKeepMine: () => void;
}

/** Lets the admin choose between their own version of an article and the version that another admin has saved. */
export function ConflictDialog({ conflict, onTakeTheirs, onKeepMine }: ConflictDialogProps) {
  const t = useText();
  return (
    <Dialog
      open={conflict !== null}
      title={t('blog.conflict')}
      actions={
        <>
          <Button onClick={onTakeTheirs}>{t('blog.takeTheirs')}</Button>
          <Button variant="primary" onClick={onKeepMine}>
            {t('blog.keepMine')}
          </Button>
        </>
      }
    >
      <p>{t('blog.conflictText')}</p>
      {conflict && (
        <p>
          {t('field.editedAt')} <TimeAgo at={conflict.theirs.article.updatedAt} />
        </p>
      )}
    </Dialog>
  );
}
