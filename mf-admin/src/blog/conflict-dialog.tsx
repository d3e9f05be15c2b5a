import { Button, Dialog, TimeAgo } from '@alpenglow/ui';
import { useText } from '../text.ts';
import type { Conflict } from './use-article-editor.ts';

export interface ConflictDialogProps {
  readonly conflict: Conflict | null;
  readonly onTakeTheirs: () => void;
  readonly onKeepMine: () => void;
}

/** Two have changed one article: whose version stays is for a person to say. */
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
          {t('blog.changed')} <TimeAgo at={conflict.theirs.article.updatedAt} />
        </p>
      )}
    </Dialog>
  );
}
