import { CORRECTION_NOTE_MAX, type AdminArticleView } from '@alpenglow/domain/contracts';
import { ConfirmDialog } from '@alpenglow/ui';
import { TextDialog } from '../panel/text-dialog.tsx';
import { useText } from '../text.ts';
import { toArticleFields } from './article-values.ts';
import { ScheduleDialog } from './schedule-dialog.tsx';
import { saveStep, type WriteStep, type useArticleEditor } from './use-article-editor.ts';

/** The dialogs that request a confirmation for an action on an article. */
export type ArticleDialog = 'publish' | 'schedule' | 'correct' | 'withdraw' | 'discard';

export interface ArticleDialogsProps {
  readonly open: ArticleDialog | null;
  readonly article: AdminArticleView;
  readonly isDirty: boolean;
  readonly isBusy: boolean;
  /** The error message of the failed action, or null. */
  readonly problem: string | null;
  readonly editor: Pick<ReturnType<typeof useArticleEditor>, 'write' | 'discard'>;
  readonly onClose: () => void;
}

/** The open dialog of an article. It closes when its action has succeeded. Otherwise, it shows the error. */
export function ArticleDialogs(props: ArticleDialogsProps) {
  const { open, article, isDirty, isBusy, problem, editor, onClose } = props;
  const t = useText();
  const write = (steps: readonly WriteStep[], done: string, onSent?: () => void) =>
    void editor.write(steps, done, () => {
      onSent?.();
      onClose();
    });
  /** Publishes the article at the time `at`, or immediately if `at` is null. Unsaved changes are saved first. */
  const publish = (at: string | null, done: string) =>
    write([...(isDirty ? [saveStep] : []), (calls, loaded) => calls.publish(loaded, at)], done);
  const confirmation = { open: true, cancelLabel: t('common.cancel'), busy: isBusy, problem, onCancel: onClose };
  switch (open) {
    case null:
      return null;
    case 'publish':
      return (
        <ConfirmDialog
          {...confirmation}
          title={t('blog.publishTitle')}
          confirmLabel={t('blog.publishNow')}
          onConfirm={() => publish(null, t('blog.published'))}
        >
          <p>{t('blog.publishText')}</p>
        </ConfirmDialog>
      );
    case 'schedule':
      return (
        <ScheduleDialog
          scheduledAt={article.publishAt}
          isBusy={isBusy}
          problem={problem}
          onClose={onClose}
          onSelect={(at) => publish(at, t('blog.scheduled'))}
        />
      );
    case 'correct':
      return (
        <TextDialog
          draftName={`article-correct.${article.slug}`}
          isBusy={isBusy}
          problem={problem}
          title={t('blog.correctTitle')}
          text={t('blog.correctText')}
          label={t('blog.note')}
          hint={t('blog.noteHint')}
          maxLength={CORRECTION_NOTE_MAX}
          missingText={t('blog.missing')}
          confirmLabel={t('blog.correctNow')}
          onClose={onClose}
          onConfirm={(note, onSent) =>
            write(
              [(calls, loaded, values) => calls.correct(loaded, toArticleFields(values), note)],
              t('blog.correctedDone'),
              onSent,
            )
          }
        />
      );
    case 'withdraw':
      return (
        <TextDialog
          draftName={`article-withdraw.${article.slug}`}
          isBusy={isBusy}
          problem={problem}
          title={t('blog.withdrawTitle')}
          text={isDirty ? `${t('blog.withdrawText')} ${t('blog.withdrawDirty')}` : t('blog.withdrawText')}
          label={t('field.reason')}
          hint={t('blog.reasonHint')}
          maxLength={CORRECTION_NOTE_MAX}
          missingText={null}
          confirmLabel={t('blog.withdrawNow')}
          isDangerous
          onClose={onClose}
          onConfirm={(reason, onSent) =>
            write([(calls, loaded) => calls.withdraw(loaded, reason)], t('blog.withdrawn'), onSent)
          }
        />
      );
    case 'discard':
      return (
        <ConfirmDialog
          {...confirmation}
          danger
          title={t('blog.discardTitle')}
          confirmLabel={t('blog.discardNow')}
          onConfirm={() => void editor.discard()}
        >
          <p>{t('blog.discardText')}</p>
        </ConfirmDialog>
      );
  }
}
